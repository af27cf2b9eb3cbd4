/* What pages can do with script on; without it everything is there all the same. */

/* Copy what stands in the element that a button names. */
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element && event.target.closest("button[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  await navigator.clipboard.writeText(source?.textContent ?? "");
  button.textContent = "Copied";
});
