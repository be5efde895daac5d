import type { CheckedSchema } from './json-schema-check.ts';
import { arrayRules } from './json-schema-rules/arrays.ts';
import { combinationRules } from './json-schema-rules/combinations.ts';
import { objectRules } from './json-schema-rules/objects.ts';
import type { Rule, Rules, Seen, Walk } from './json-schema-rules/rule.ts';
import { scalarRules } from './json-schema-rules/scalars.ts';
import type { TextPattern } from './patterns.ts';

/** A value that cannot be checked within the limits. */
export class TooMuchWork extends Error {}

const rules: ReadonlyMap<string, Rule> = new Map(
  [scalarRules, objectRules, arrayRules, combinationRules].flatMap((group: Rules) => Object.entries(group)),
);
const maxDepth = 1_000;
/** Matching is paid for by what it may take at most. */
const matchingPerStep = 1_000;

/** One look at one value with a schema, within a number of steps. */
export class JsonSchemaWalk implements Walk {
  readonly #schema: CheckedSchema;
  #stepsLeft: number;

  constructor(schema: CheckedSchema, maxSteps: number) {
    this.#schema = schema;
    this.#stepsLeft = maxSteps;
  }

  accepts(schema: unknown, seen: Seen): boolean {
    this.spend(1);
    if (seen.depth > maxDepth) throw new TooMuchWork('schemas and data are nested too deeply');
    if (typeof schema === 'boolean') return schema || seen.fails('nothing is allowed here');
    const keywords = schema as Readonly<Record<string, unknown>>;
    let isRight = true;
    for (const keyword of Object.keys(keywords)) {
      const rule = rules.get(keyword);
      if (!rule || rule(keywords[keyword] as never, seen, keywords, this)) continue;
      isRight = false;
      if (seen.isSilent) return false;
    }
    return isRight;
  }

  referred(ref: string): unknown {
    return this.#schema.refs.resolve(ref);
  }

  matches(pattern: string, text: string): boolean {
    const compiled = this.#schema.patterns.get(pattern) as TextPattern;
    this.spend(1 + (compiled.size * text.length) / matchingPerStep);
    return compiled.occursIn(text);
  }

  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new TooMuchWork('it takes too many steps');
  }
}
