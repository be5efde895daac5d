import { isRecord } from '../shared/json.ts';
import { schemasIn } from '../shared/json-schema/json-schema.ts';
import { keywordShapes } from '../shared/json-schema/keywords.ts';

/** A schema inside of a schema. */
export interface SchemaPlace {
  readonly schema: Readonly<Record<string, unknown>>;
  /** From the outermost one, such as `inputSchema.properties.path`. */
  readonly place: string;
}

const mostPlaces = 5_000;
const deepest = 100;

/** A schema and all schemas in it that are objects, the outermost first. */
export function schemaPlaces(root: unknown, name: string): SchemaPlace[] {
  const places: SchemaPlace[] = [];
  const walk = (schema: unknown, place: string, level: number): void => {
    if (!isRecord(schema) || places.length === mostPlaces || level === deepest) return;
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
