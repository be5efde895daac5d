import { type CheckProblem, problemOf, type RuleText } from '../rule.ts';

/** One broken rule in one call. */
export interface Noted {
  readonly rule: RuleText;
  readonly message: string;
}

/** What was found out about a tool by calling it, each kind of problem once. */
export class ToolOutcomes {
  readonly #tool: string;
  readonly #found = new Map<RuleText, { readonly message: string; count: number }>();

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** Takes note of problems; the first of its kind is told, the others are counted. */
  add(noted: readonly Noted[]): void {
    for (const { rule, message } of noted) {
      const known = this.#found.get(rule);
      if (known) known.count++;
      else this.#found.set(rule, { message, count: 1 });
    }
  }

  problems(): CheckProblem[] {
    return [...this.#found].map(([rule, { message, count }]) => {
      const others = count > 1 ? ` (${count} calls like this)` : '';
      return problemOf(rule, { message: `${message}${others}`, tools: [this.#tool] });
    });
  }
}
