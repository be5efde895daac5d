import { isRecord } from '../json.ts';
import type { TextPattern } from '../patterns.ts';
import { arrayRules, objectRules } from './container-rules.ts';
import type { CheckedSchema } from './json-schema.ts';
import { inPlaceKeywords } from './keywords.ts';
import type { Rule, Rules, Seen, Walk } from './rule.ts';
import { combinationRules, scalarRules } from './value-rules.ts';

type Path = readonly (string | number)[];
type SchemaObject = Readonly<Record<string, unknown>>;

interface Written {
  readonly ref: string;
  readonly path: Path;
}

/** The references of a schema; all of them must lead to places inside of it. */
export class JsonSchemaRefs {
  readonly #root: unknown;
  readonly #rootId: string;
  readonly #places = new Map<SchemaObject, Path>();
  readonly #anchors = new Map<string, SchemaObject>();
  readonly #written: Written[] = [];
  readonly #resolved = new Map<string, unknown>();
  #innerId: Path | undefined;

  constructor(root: unknown) {
    this.#root = root;
    const id = isRecord(root) ? (root.$id ?? root.id) : undefined;
    this.#rootId = typeof id === 'string' ? id.replace(/#$/, '') : '';
  }

  /** Takes note of a schema that stands in the whole at `path`. */
  add(schema: SchemaObject, path: Path): void {
    this.#places.set(schema, path);
    const { $id, $anchor, $dynamicAnchor } = schema;
    const old = typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined;
    for (const name of [$anchor, $dynamicAnchor, old]) {
      if (typeof name === 'string') this.#anchors.set(name, schema);
    }
    if (path.length > 0 && typeof $id === 'string' && old === undefined) this.#innerId ??= [...path, '$id'];
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const ref = schema[keyword];
      if (typeof ref === 'string') this.#written.push({ ref, path: [...path, keyword] });
    }
  }

  /** The schema that a reference leads to; undefined where it leads nowhere. */
  resolve(ref: string): unknown {
    const known = this.#resolved.get(ref);
    if (known !== undefined) return known;
    const found = this.#find(ref);
    this.#resolved.set(ref, found);
    return found;
  }

  #find(ref: string): unknown {
    const local = this.#rootId !== '' && ref.startsWith(this.#rootId) ? ref.slice(this.#rootId.length) : ref;
    if (local === '' || local === '#') return this.#root;
    if (!local.startsWith('#')) return undefined;
    const fragment = decoded(local.slice(1));
    return fragment.startsWith('/') ? at(this.#root, fragment) : this.#anchors.get(fragment);
  }

  /** A reference that leads out of the schema or to nothing in it that is a schema. */
  firstUnresolved(): { readonly path: Path; readonly message: string } | undefined {
    // An id inside would change what the references below it mean.
    if (this.#innerId) return { path: this.#innerId, message: 'a `$id` inside of a schema is not supported' };
    for (const { ref, path } of this.#written) {
      const found = this.resolve(ref);
      if (typeof found === 'boolean' || (isRecord(found) && this.#places.has(found))) continue;
      const message = /^#/.test(ref)
        ? `\`${ref}\` leads to no schema`
        : `\`${ref}\` leads out of the schema; only references such as \`#/$defs/name\` are followed`;
      return { path, message };
    }
    return undefined;
  }

  /** A schema that can only be decided by deciding itself first. */
  firstEndless(): Path | undefined {
    const done = new Set<SchemaObject>();
    for (const start of this.#places.keys()) {
      const loop = this.#findLoop(start, done);
      if (loop) return this.#places.get(loop) ?? [];
    }
    return undefined;
  }

  /** Goes without recursion, since a chain of references can be as long as the schema. */
  #findLoop(start: SchemaObject, done: Set<SchemaObject>): SchemaObject | undefined {
    const open = new Set<SchemaObject>();
    const stack: { schema: SchemaObject; isLeaving: boolean }[] = [{ schema: start, isLeaving: false }];
    for (let step = stack.pop(); step; step = stack.pop()) {
      const { schema, isLeaving } = step;
      if (isLeaving) {
        open.delete(schema);
        done.add(schema);
        continue;
      }
      if (open.has(schema)) return schema;
      if (done.has(schema)) continue;
      open.add(schema);
      stack.push({ schema, isLeaving: true });
      for (const next of this.#sameValueSchemas(schema)) stack.push({ schema: next, isLeaving: false });
    }
    return undefined;
  }

  #sameValueSchemas(schema: SchemaObject): SchemaObject[] {
    return inPlaceKeywords
      .flatMap((keyword) => {
        const value = schema[keyword];
        if (typeof value === 'string') return [this.resolve(value)];
        if (keyword === 'dependentSchemas' || keyword === 'dependencies') return Object.values(Object(value ?? {}));
        return [value].flat();
      })
      .filter((inner): inner is SchemaObject => isRecord(inner) && this.#places.has(inner));
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function at(root: unknown, pointer: string): unknown {
  let value = root;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as SchemaObject)[key];
  }
  return value;
}

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
