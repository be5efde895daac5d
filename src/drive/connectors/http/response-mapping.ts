import { AssayError } from '../../../domain/errors.ts';
import { compileJsonPath, type JsonPath } from '../../../shared/json-path/json-path.ts';
import { JsonPathError } from '../../../shared/json-path/json-path-walk.ts';
import { reportedUsage } from '../../wire/reported-usage.ts';
import { UnreadableAnswer } from '../wire/answer.ts';
import { asText } from '../wire/messages.ts';
import type { MappingConfig } from './mapping-schema.ts';

type Place = Exclude<keyof MappingConfig, 'usage'> | 'usage.input' | 'usage.output' | 'usage.total';

const usagePlaces = ['usage.input', 'usage.output', 'usage.total'] as const;

/** The places in an answer that the config maps. */
export class ResponseMapping {
  readonly #paths: ReadonlyMap<Place, JsonPath>;
  /** True where the text is the whole answer, which then need not be JSON. */
  readonly isWholeText: boolean;

  constructor(paths: ReadonlyMap<Place, JsonPath>, isWholeText = false) {
    this.#paths = paths;
    this.isWholeText = isWholeText;
  }

  has(place: Place): boolean {
    return this.#paths.has(place);
  }

  /** The value at a place, or a list of them for a path that can match several; undefined when nothing matches. */
  select(place: Place, document: unknown): unknown {
    const path = this.#paths.get(place);
    if (!path) return undefined;
    const values = selectOrRefuse(path, document);
    if (values.length === 0) return undefined;
    return path.isSingular ? values[0] : values;
  }

  /** The text at a place, joined for several values; undefined when nothing matches. */
  text(place: Place, document: unknown): string | undefined {
    const selected = this.select(place, document);
    if (selected === undefined || selected === null) return undefined;
    const isList = Array.isArray(selected) && this.#paths.get(place)?.isSingular === false;
    return isList ? selected.map(asText).join('') : asText(selected);
  }

  /** Undefined where the config maps no tokens, or the answer has none there. */
  usage(document: unknown): ReturnType<typeof reportedUsage> | undefined {
    const [input, output, total] = usagePlaces.map((place) => this.select(place, document));
    return input === undefined && output === undefined && total === undefined
      ? undefined
      : reportedUsage({ usage: { input, output, total } });
  }
}

/** A path that takes too much work is a problem of the answer, not of the program. */
function selectOrRefuse(path: JsonPath, document: unknown): readonly unknown[] {
  try {
    return path.select(document);
  } catch (error) {
    throw error instanceof JsonPathError ? new UnreadableAnswer(error.message) : error;
  }
}

/** Compiles the paths of a config once; throws for one that is invalid. */
export async function compileMapping({ usage, ...places }: MappingConfig): Promise<ResponseMapping> {
  const counts = Object.entries(usage ?? {}).map(([name, path]) => [`usage.${name}`, path] as const);
  const paths = new Map<Place, JsonPath>();
  for (const [place, path] of [...Object.entries(places), ...counts]) {
    if (path !== undefined) paths.set(place as Place, await compile(place, path));
  }
  return new ResponseMapping(paths, places.text === '$');
}

async function compile(place: string, path: string): Promise<JsonPath> {
  try {
    return await compileJsonPath(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    const message = `The JSONPath \`${path}\` for \`response.${place}\` is invalid: ${error.message}.`;
    throw new AssayError('TARGET_NOT_LOADED', message, { hint: 'Correct the mapping in the config of the connector.' });
  }
}
