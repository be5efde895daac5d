/** A word of a command line after quotes and escapes were taken away. */
export interface ShellWord {
  /** Expansions stay as they were written, except for commands, which become `$()`. */
  readonly text: string;
  /** Whether the program gets exactly this text: nothing in it is expanded. */
  readonly isExact: boolean;
}

/** A program and its arguments. */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly words: readonly ShellWord[];
  /** Commands in its words and redirections, such as `$(…)` and `<(…)`. */
  readonly substitutions: readonly ShellList[];
  /** `x=$(…)` without a program: its exit code is that of the last substitution. */
  readonly isAssignment: boolean;
}

/** Commands that a pipeline takes as one. */
export interface ShellGroup {
  readonly kind: 'group';
  readonly list: ShellList;
  /** Commands in its head and redirections: they run before it. */
  readonly substitutions: readonly ShellList[];
  /** In parentheses: what ends it does not end the line. */
  readonly isSubshell: boolean;
  /** `if`, a loop, `case` or a function: the text does not show whether and how often its commands ran. */
  readonly isConditional: boolean;
}

export type ShellCommand = SimpleCommand | ShellGroup;

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

/** Commands separated by `;`, `&` or line ends. */
export type ShellList = readonly AndOrChain[];
