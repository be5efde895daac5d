import { seededRandom } from '../../../shared/seeded-random.ts';
import type { Conversation } from './conversation.ts';
import type { Script, ScriptRule } from './script.ts';
import { compileTextPattern, isRegularExpression, type TextPattern } from './text-pattern.ts';

/** The rule that answers a conversation. */
export interface ChosenRule {
  readonly rule: ScriptRule;
  /** As one counts them in the file, from 1. */
  readonly number: number;
  /** The match of the first regular expression among its conditions: all of it, then each group. */
  readonly match: readonly string[];
}

/** In the order in which `{{match}}` looks for a regular expression. */
const textConditions = ['last', 'toolResult', 'system', 'model'] as const;

/** The rules of a script, and how often each has been used. */
export class RuleBook {
  readonly #script: Script;
  #rules: readonly CountedRule[];

  constructor(script: Script) {
    this.#script = script;
    this.#rules = script.rules.map((rule) => new CountedRule(rule));
  }

  /** The first rule that holds; choosing it counts as a use of it. */
  choose(conversation: Conversation): ChosenRule | undefined {
    for (const [index, counted] of this.#rules.entries()) {
      const match = counted.use(conversation);
      if (match) return { rule: counted.rule, number: index + 1, match };
    }
    return undefined;
  }

  /** Forgets all uses. */
  reset(): void {
    this.#rules = this.#script.rules.map((rule) => new CountedRule(rule));
  }
}

/** A rule with its compiled patterns; it is used up, and counts, over the life of a server. */
class CountedRule {
  readonly rule: ScriptRule;
  readonly #patterns: readonly { name: (typeof textConditions)[number]; isRegular: boolean; test: TextPattern }[];
  readonly #random: () => number;
  #timesHeld = 0;
  #timesUsed = 0;

  constructor(rule: ScriptRule) {
    this.rule = rule;
    this.#random = seededRandom(rule.seed ?? 1);
    this.#patterns = textConditions.flatMap((name) => {
      const pattern = rule.when[name];
      if (pattern === undefined) return [];
      return [{ name, isRegular: isRegularExpression(pattern), test: compileTextPattern(pattern) }];
    });
  }

  /** The groups of the match, or undefined when the rule does not answer this conversation. */
  use(conversation: Conversation): readonly string[] | undefined {
    const { when, times = Number.POSITIVE_INFINITY, probability = 1 } = this.rule;
    if (this.#timesUsed >= times || !hasShape(when, conversation)) return undefined;
    const match = this.#matchTexts(conversation);
    if (!match) return undefined;
    this.#timesHeld++;
    if (when.nth !== undefined && when.nth !== this.#timesHeld) return undefined;
    if (probability < 1 && this.#random() >= probability) return undefined;
    this.#timesUsed++;
    return match;
  }

  #matchTexts(conversation: Conversation): readonly string[] | undefined {
    let groups: readonly string[] | undefined;
    for (const { name, isRegular, test } of this.#patterns) {
      const match = test(conversation[name]);
      if (!match) return undefined;
      if (isRegular) groups ??= match;
    }
    return groups ?? [];
  }
}

/** The conditions that need no pattern. */
function hasShape({ path, turn, tool }: ScriptRule['when'], conversation: Conversation): boolean {
  return (
    (path === undefined ? conversation.needsOwnRule !== true : path === conversation.path) &&
    (turn === undefined || turn === conversation.turn) &&
    (tool === undefined || conversation.tools.some((offered) => offered.name === tool))
  );
}
