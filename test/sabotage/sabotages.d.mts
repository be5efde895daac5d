/** A mechanism that is taken out, and the tests of which at least one must then fail. */
interface Sabotage {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Files, and perhaps `-t` with a part of a name. */
  readonly tests: readonly string[];
}

export const sabotages: readonly Sabotage[];
