import { isRecord } from '../../shared/json.ts';
import { schemasIn } from '../../shared/json-schema/json-schema.ts';
import { keywordShapes } from '../../shared/json-schema/keywords.ts';
import { JsonSchemaRefs } from '../../shared/json-schema/references.ts';
import type { ListedTool } from './listed-server.ts';

type Schema = Readonly<Record<string, unknown>>;

/** An argument of a tool, or a part of one. */
export interface ToolArgument {
  /** Such as `path`, or `entities[].name` for a part. */
  readonly name: string;
  /** The schemas at its place, references and alternatives included. */
  readonly schemas: readonly Schema[];
  readonly isRequired: boolean;
  readonly parts: readonly ToolArgument[];
}

const mostArguments = 1_000;
const deepest = 8;

/** The arguments of a tool, each with its parts. */
export function argumentsOf({ inputSchema }: Pick<ListedTool, 'inputSchema'>): ToolArgument[] {
  return new ArgumentReader(inputSchema).read();
}

/** Arguments and all their parts in one list. */
export function flattened(args: readonly ToolArgument[]): ToolArgument[] {
  return args.flatMap((argument) => [argument, ...flattened(argument.parts)]);
}

/** Where the schema of an argument stands in the definition of its tool. */
export function placeOf(name: string): string {
  const steps = name.split('.').map((step) => `properties.${step.replaceAll('[]', '.items')}`);
  return `inputSchema.${steps.join('.')}`;
}

/** The first text that one of the keywords has at the argument's place. */
export function textOf({ schemas }: ToolArgument, keyword: string): string | undefined {
  return schemas.map((schema) => schema[keyword]).find((value) => typeof value === 'string' && value.trim() !== '') as
    | string
    | undefined;
}

const typing = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'properties', 'items'];

/** Who says that anything may be there means it. */
export function isUntyped(argument: ToolArgument): boolean {
  if (/\b(?:any|anything|whatever|JSON)\b/i.test(textOf(argument, 'description') ?? '')) return false;
  return !argument.schemas.some((schema) => typing.some((keyword) => keyword in schema));
}

class ArgumentReader {
  readonly #root: unknown;
  readonly #refs: JsonSchemaRefs;
  #count = 0;

  constructor(root: unknown) {
    this.#root = root;
    this.#refs = new JsonSchemaRefs(root);
  }

  read(): ToolArgument[] {
    return this.#partsOf(this.#schemasAt(this.#root), '', 0);
  }

  /** The schemas that apply at a place: the schema itself, its references, and its alternatives. */
  #schemasAt(schema: unknown, level = 0): Schema[] {
    if (!isRecord(schema) || level === deepest) return [];
    const referred = typeof schema.$ref === 'string' ? [this.#refs.resolve(schema.$ref)] : [];
    const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => listOf(schema[keyword]));
    return [schema, ...[...referred, ...alternatives].flatMap((inner) => this.#schemasAt(inner, level + 1))];
  }

  #partsOf(schemas: readonly Schema[], prefix: string, level: number): ToolArgument[] {
    if (level === deepest) return [];
    const required = new Set(schemas.flatMap((schema) => listOf(schema.required)));
    const properties = schemas.flatMap((schema) =>
      isRecord(schema.properties) ? Object.entries(schema.properties) : [],
    );
    const named = properties.flatMap(([name, schema]): ToolArgument[] => {
      if (++this.#count > mostArguments) return [];
      const own = this.#schemasAt(schema);
      const path = `${prefix}${name}`;
      return [
        { name: path, schemas: own, isRequired: required.has(name), parts: this.#partsOf(own, `${path}.`, level + 1) },
      ];
    });
    const items = schemas.flatMap((schema) => this.#schemasAt(schema.items));
    const ofItems = items.length === 0 ? [] : this.#partsOf(items, `${prefix.replace(/\.$/, '')}[].`, level + 1);
    return [...named, ...ofItems];
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A schema inside of a schema. */
export interface SchemaPlace {
  readonly schema: Readonly<Record<string, unknown>>;
  /** From the outermost one, such as `inputSchema.properties.path`. */
  readonly place: string;
}

const mostPlaces = 5_000;
const deepestPlace = 100;

/** A schema and all schemas in it that are objects, the outermost first. */
export function schemaPlaces(root: unknown, name: string): SchemaPlace[] {
  const places: SchemaPlace[] = [];
  const walk = (schema: unknown, place: string, level: number): void => {
    if (!isRecord(schema) || places.length === mostPlaces || level === deepestPlace) return;
    places.push({ schema, place });
    for (const [keyword, value] of Object.entries(schema)) {
      const shape = keywordShapes.get(keyword);
      if (shape === undefined || typeof value !== 'object' || value === null) continue;
      for (const [inner, path] of schemasIn(shape, value)) walk(inner, [place, keyword, ...path].join('.'), level + 1);
    }
  };
  walk(root, name, 0);
  return places;
}
