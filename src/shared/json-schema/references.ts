import { isRecord } from '../json.ts';
import { inPlaceKeywords } from './keywords.ts';

type Path = readonly (string | number)[];
type SchemaObject = Readonly<Record<string, unknown>>;

/** A schema with its own address, and the names it defines; the whole document is one, too. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: unknown;
  readonly anchors: Map<string, SchemaObject>;
  readonly dynamicAnchors: Map<string, SchemaObject>;
  readonly resolved: Map<string, unknown>;
}

interface Place {
  readonly path: Path;
  readonly resource: SchemaResource;
}

interface Reference {
  readonly ref: string;
  readonly from: SchemaObject;
  readonly path: Path;
}

/** The address of a schema that does not say its own. */
const unnamed = 'schema:///';

/** The references of a schema; all of them must lead to places inside of it. */
export class JsonSchemaRefs {
  readonly #rootResource: SchemaResource;
  readonly #resources = new Map<string, SchemaResource>();
  readonly #places = new Map<SchemaObject, Place>();
  readonly #references: Reference[] = [];
  #hasDynamicReferences = false;
  #unusableId: Path | undefined;

  constructor(root: unknown) {
    const id = isRecord(root) ? (root.$id ?? root.id) : undefined;
    this.#rootResource = this.#addResource(root, typeof id === 'string' ? id : '', unnamed);
  }

  /** Whether what a reference leads to can depend on how a schema was reached. */
  get hasDynamicReferences(): boolean {
    return this.#hasDynamicReferences;
  }

  /** Takes note of a schema at `path` that stands in a resource; returns the resource that its parts stand in. */
  add(schema: SchemaObject, path: Path, around: SchemaResource = this.#rootResource): SchemaResource {
    const { $id, $anchor, $dynamicAnchor } = schema;
    const oldAnchor = typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined;
    const hasOwnId = path.length > 0 && typeof $id === 'string' && oldAnchor === undefined;
    if (hasOwnId && /#./.test($id)) this.#unusableId ??= [...path, '$id'];
    const resource = hasOwnId ? this.#addResource(schema, $id, around.uri) : around;
    this.#places.set(schema, { path, resource });
    for (const name of [$anchor, $dynamicAnchor, oldAnchor]) {
      if (typeof name === 'string') resource.anchors.set(name, schema);
    }
    if (typeof $dynamicAnchor === 'string') resource.dynamicAnchors.set($dynamicAnchor, schema);
    this.#addReferences(schema, path);
    return resource;
  }

  #addResource(root: unknown, id: string, base: string): SchemaResource {
    const uri = absoluteUri(id.replace(/#.*$/s, ''), base) ?? id;
    const resource = { uri, root, anchors: new Map(), dynamicAnchors: new Map(), resolved: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }

  #addReferences(schema: SchemaObject, path: Path): void {
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const ref = schema[keyword];
      if (typeof ref !== 'string') continue;
      this.#references.push({ ref, from: schema, path: [...path, keyword] });
      if (keyword !== '$ref') this.#hasDynamicReferences = true;
    }
  }

  /** The resource that a schema is part of. */
  resourceOf(schema: SchemaObject): SchemaResource {
    return this.#places.get(schema)?.resource ?? this.#rootResource;
  }

  /** The schema that a reference in a schema leads to; undefined where it leads nowhere. */
  resolve(ref: string, from?: SchemaObject): unknown {
    const resource = from === undefined ? this.#rootResource : this.resourceOf(from);
    if (resource.resolved.has(ref)) return resource.resolved.get(ref);
    const found = this.#find(ref, resource);
    resource.resolved.set(ref, found);
    return found;
  }

  #find(ref: string, from: SchemaResource): unknown {
    const [address = '', ...rest] = ref.split('#');
    const fragment = decoded(rest.join('#'));
    const uri = address === '' ? from.uri : absoluteUri(address, from.uri);
    const resource = uri === undefined ? undefined : this.#resources.get(uri);
    if (resource === undefined || fragment === '') return resource?.root;
    return fragment.startsWith('/') ? at(resource.root, fragment) : resource.anchors.get(fragment);
  }

  /** The same for a `$dynamicRef`: the outermost schema of that name among the resources that led here. */
  resolveDynamic(ref: string, from: SchemaObject, scope: readonly SchemaResource[]): unknown {
    const found = this.resolve(ref, from);
    const name = isRecord(found) ? found.$dynamicAnchor : undefined;
    if (typeof name !== 'string' || !ref.endsWith(`#${name}`)) return found;
    return scope.find(({ dynamicAnchors }) => dynamicAnchors.has(name))?.dynamicAnchors.get(name) ?? found;
  }

  /** The same for the `$recursiveRef` of 2019-09. */
  resolveRecursive(ref: string, from: SchemaObject, scope: readonly SchemaResource[]): unknown {
    const found = this.resolve(ref, from);
    const isAnchor = (root: unknown) => isRecord(root) && root.$recursiveAnchor === true;
    return isAnchor(found) ? (scope.find(({ root }) => isAnchor(root))?.root ?? found) : found;
  }

  /** A reference that leads out of the schema or to nothing in it that is a schema. */
  firstUnresolved(): { readonly path: Path; readonly message: string } | undefined {
    if (this.#unusableId) return { path: this.#unusableId, message: 'a `$id` with a fragment is not supported' };
    for (const { ref, from, path } of this.#references) {
      const found = this.resolve(ref, from);
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
      if (loop) return this.#places.get(loop)?.path ?? [];
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
        if (typeof value === 'string') return [this.resolve(value, schema)];
        if (keyword === 'dependentSchemas' || keyword === 'dependencies') return Object.values(Object(value ?? {}));
        return [value].flat();
      })
      .filter((inner): inner is SchemaObject => isRecord(inner) && this.#places.has(inner));
  }
}

function absoluteUri(address: string, base: string): string | undefined {
  return URL.canParse(address, base) ? new URL(address, base).href : undefined;
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
