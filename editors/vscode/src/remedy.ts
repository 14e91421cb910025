// What the user can mend, and the buttons that say how.

export type Remedy = "Open Settings" | "Show Output" | "Try Again";

export class Remediable extends Error {
  constructor(
    message: string,
    readonly remedies: Remedy[],
  ) {
    super(message);
  }
}
