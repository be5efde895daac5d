import { AssayError } from '../../../domain/errors.ts';
import type { TokenUsage } from '../../../domain/message.ts';
import { compileJsonPath, type JsonPath } from '../../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../../shared/json-path/json-path-walk.ts';
import { asText } from '../wire/read-message.ts';
import { completeUsage, countIn } from '../wire/token-usage.ts';
import type { HttpConnectorConfig } from './http-connector.ts';

type MappingConfig = HttpConnectorConfig['response'];
type Place = Exclude<keyof MappingConfig, 'usage'> | 'usage.input' | 'usage.output' | 'usage.total';

/** Where things are in an answer, as far as the config says. */
export class ResponseMapping {
  readonly #paths: ReadonlyMap<Place, JsonPath>;

  constructor(paths: ReadonlyMap<Place, JsonPath>) {
    this.#paths = paths;
  }

  has(place: Place): boolean {
    return this.#paths.has(place);
  }

  /** What is at a place: one value, or a list of them for a path that can name several; undefined when nothing is. */
  select(place: Place, document: unknown): unknown {
    const path = this.#paths.get(place);
    if (!path) return undefined;
    const values = path.select(document);
    if (values.length === 0) return undefined;
    return path.isSingular ? values[0] : values;
  }

  /** The text at a place, that of several values one after the other; undefined when nothing is there. */
  text(place: Place, document: unknown): string | undefined {
    const selected = this.select(place, document);
    if (selected === undefined || selected === null) return undefined;
    const isList = Array.isArray(selected) && this.#paths.get(place)?.isSingular === false;
    return isList ? selected.map(asText).join('') : asText(selected);
  }

  usage(document: unknown): TokenUsage | undefined {
    const count = (place: Place): number | undefined => countIn(this.select(place, document));
    return completeUsage(count('usage.input'), count('usage.output'), count('usage.total'));
  }
}

/** Compiles the paths of a config once, or says which of them cannot be used. */
export async function compileMapping({ usage, ...places }: MappingConfig): Promise<ResponseMapping> {
  const counts = Object.entries(usage ?? {}).map(([name, path]) => [`usage.${name}`, path] as const);
  const paths = new Map<Place, JsonPath>();
  for (const [place, path] of [...Object.entries(places), ...counts]) {
    if (path !== undefined) paths.set(place as Place, await compile(place, path));
  }
  return new ResponseMapping(paths);
}

async function compile(place: string, path: string): Promise<JsonPath> {
  try {
    return await compileJsonPath(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    const message = `The JSONPath \`${path}\` for \`response.${place}\` cannot be used: ${error.message}.`;
    throw new AssayError('TARGET_NOT_LOADED', message, { hint: 'Correct the mapping in the config of the connector.' });
  }
}
