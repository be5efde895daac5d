import type { TextPattern } from '../patterns.ts';
import { arrayRules, objectRules } from './container-rules.ts';
import type { CheckedSchema } from './json-schema.ts';
import type { SchemaResource } from './references.ts';
import type { ReferenceKind, Rule, Rules, Seen, Walk } from './rule.ts';
import { unevaluatedRules } from './unevaluated-rules.ts';
import { combinationRules, scalarRules } from './value-rules.ts';

type SchemaObject = Readonly<Record<string, unknown>>;

/** A value that cannot be checked within the limits. */
export class TooMuchWork extends Error {}

const rules: ReadonlyMap<string, Rule> = new Map(
  [scalarRules, objectRules, arrayRules, combinationRules, unevaluatedRules].flatMap((group: Rules) =>
    Object.entries(group),
  ),
);
const maxDepth = 1_000;
/** Matching is paid for by what it may take at most. */
const matchingPerStep = 1_000;

/** One look at one value with a schema, within a number of steps. */
export class JsonSchemaWalk implements Walk {
  readonly #schema: CheckedSchema;
  readonly #scope: SchemaResource[] = [];
  #stepsLeft: number;

  constructor(schema: CheckedSchema, maxSteps: number) {
    this.#schema = schema;
    this.#stepsLeft = maxSteps;
  }

  accepts(schema: unknown, seen: Seen): boolean {
    this.spend(1);
    if (seen.depth > maxDepth) throw new TooMuchWork('schemas and data are nested too deeply');
    if (typeof schema === 'boolean') return schema || seen.fails('nothing is allowed here');
    const keywords = schema as SchemaObject;
    const { refs } = this.#schema;
    if (!refs.hasDynamicReferences) return this.#allHold(keywords, seen);
    this.#scope.push(refs.resourceOf(keywords));
    const isRight = this.#allHold(keywords, seen);
    this.#scope.pop();
    return isRight;
  }

  #allHold(keywords: SchemaObject, seen: Seen): boolean {
    let isRight = true;
    for (const keyword of this.#inOrder(keywords)) {
      const rule = rules.get(keyword);
      if (!rule || rule(keywords[keyword] as never, seen, keywords, this)) continue;
      isRight = false;
      if (seen.isSilent) return false;
    }
    return isRight;
  }

  /** Unevaluated parts are known only after all other keywords. */
  #inOrder(keywords: SchemaObject): readonly string[] {
    const names = Object.keys(keywords);
    if (!this.#schema.hasUnevaluated) return names;
    const isLast = (name: string) => Object.hasOwn(unevaluatedRules, name);
    return [...names.filter((name) => !isLast(name)), ...names.filter(isLast)];
  }

  referred(ref: string, from: SchemaObject, kind: ReferenceKind): unknown {
    const { refs } = this.#schema;
    if (kind === 'dynamic') return refs.resolveDynamic(ref, from, this.#scope);
    return kind === 'recursive' ? refs.resolveRecursive(ref, from, this.#scope) : refs.resolve(ref, from);
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
