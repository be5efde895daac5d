/** A word of a command line after quotes and escapes were taken away. */
export interface ShellWord {
  /** What is expanded by the shell stays as it was written, except for commands, which become `$()`. */
  readonly text: string;
  /** Whether the program gets exactly this text: nothing in it is expanded. */
  readonly isExact: boolean;
  readonly isQuoted: boolean;
  /** Commands whose output becomes part of the word. */
  readonly substitutions: readonly ShellList[];
}

/** A program and its arguments. */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly words: readonly ShellWord[];
  /** Commands in its redirections, such as `<(…)`. */
  readonly substitutions: readonly ShellList[];
  /** The head of a `for` or `case`: its words are no command. */
  readonly isHeader: boolean;
  /** Inside `if`, loops, `case` or a function: nobody can tell from the text whether and how often it ran. */
  readonly isConditional: boolean;
}

/** A list in parentheses. */
interface Subshell {
  readonly kind: 'subshell';
  readonly list: ShellList;
  readonly isConditional: boolean;
}

export type ShellCommand = SimpleCommand | Subshell;

/** Commands joined by `|`; there is always one. */
export interface Pipeline {
  readonly commands: readonly ShellCommand[];
  /** `!` in front of it. */
  readonly isNegated: boolean;
}

/** Pipelines joined by `&&` and `||`, which the shell groups from the left. */
export interface AndOrChain {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly isBackground: boolean;
}

/** What stands one after the other, separated by `;`, `&` or line ends. */
export type ShellList = readonly AndOrChain[];
