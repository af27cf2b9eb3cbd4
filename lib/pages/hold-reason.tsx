import type { Html } from "./shown.ts";

const PRESETS = ["wrong", "not needed", "duplicate", "unsafe"] as const;

/** A reason by one click, and in words where one wants to. */
export const RejectReason = (): Html => (
  <>
    <fieldset class="choices">
      <legend>Why?</legend>
      {PRESETS.map((preset) => (
        <label>
          <input type="radio" name="preset" value={preset} required />
          {preset}
        </label>
      ))}
      <label>
        <input type="radio" name="preset" value="" required />
        another reason
      </label>
    </fieldset>
    <div class="field">
      <label for="reject-reason">In words</label>
      <input id="reject-reason" name="reason" maxlength={1900} />
    </div>
  </>
);
