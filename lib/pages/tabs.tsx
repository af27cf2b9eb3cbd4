import type { Html, Shown } from "./shown.ts";

/** A list's filter as links that keep its other filters; a page of a list is not carried into another list. */
export function Tabs(props: {
  label: string;
  name: string;
  standard: string;
  on: string;
  of: readonly (readonly [value: string, says: string])[];
  shown: Pick<Shown, "here">;
}): Html {
  const { name, standard } = props;
  const [path = "", search = ""] = props.shown.here.split("?");
  const hrefOf = (value: string): string => {
    const to = new URLSearchParams(search);
    to.delete("cursor");
    if (value === standard) to.delete(name);
    else to.set(name, value);
    return to.size > 0 ? `${path}?${to.toString()}` : path;
  };
  return (
    <nav class="tabs" aria-label={props.label}>
      <ul>
        {props.of.map(([value, says]) => (
          <li>
            <a href={hrefOf(value)} aria-current={value === props.on ? "true" : undefined}>
              {says}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
