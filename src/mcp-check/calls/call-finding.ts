import type { RuleText } from '../rule.ts';

/** One broken rule in one call. */
export interface CallFinding {
  readonly rule: RuleText;
  readonly message: string;
  /** The reason that the server gave, apart from the call; tools with the same cause are reported together. */
  readonly cause?: string;
}
