import { checkableSchema } from '../../../mcp-check/arguments/schema-parts.ts';
import { isRecord } from '../../../shared/json.ts';
import { definitionPrefix, withOwnReferences } from './openapi-schema.ts';

type Data = Readonly<Record<string, unknown>>;

/** JSON Schemas of bodies by status, as the evaluator `http-response` takes them. */
type Responses = Readonly<Record<string, unknown>>;

/** How an operation answers by its document. */
export interface DocumentedResponses {
  /** Of a request that fits the document. */
  readonly accepted: Responses;
  /** Of one that does not: every status of the class, and the bodies that are documented. */
  readonly refused: Responses;
  /** Why answers cannot be read; undefined where they can. */
  readonly unreadable: string | undefined;
}

interface ResponseSource {
  readonly schemas: Data;
  readonly resolved: (value: unknown) => Data;
}

/** The documented responses of an operation; without a document of a success, any 2xx is one. */
export function responsesOf({ responses }: Data, source: ResponseSource): DocumentedResponses {
  const written = Object.entries(isRecord(responses) ? responses : {}).map(
    ([status, response]) => [status.toUpperCase(), source.resolved(response)] as const,
  );
  const bodies = (first: string) =>
    written.flatMap(([status, response]) =>
      new RegExp(`^${first}(?:\\d\\d|XX)$`).test(status) ? [[status, bodySchema(response, source)] as const] : [],
    );
  const fallback = written.find(([status]) => status === 'DEFAULT')?.[1];
  const accepted = bodies('2');
  const isOther = written.some(([status, response]) => status.startsWith('2') && hasOnlyOtherContent(response));
  const otherwise = fallback === undefined ? true : bodySchema(fallback, source);
  return {
    accepted: Object.fromEntries(accepted.length > 0 ? accepted : [['2XX', otherwise]]),
    refused: { '4XX': true, ...Object.fromEntries(bodies('4')) },
    unreadable: isOther ? 'its answers are not JSON' : undefined,
  };
}

const jsonType = /^(?:application\/(?:[\w.+-]+\+)?json|\*\/\*)(?:;|$)/i;

function contentOf({ content }: Data): [string, unknown][] {
  return Object.entries(isRecord(content) ? content : {});
}

function hasOnlyOtherContent(response: Data): boolean {
  const content = contentOf(response);
  return content.length > 0 && !content.some(([type]) => jsonType.test(type));
}

/** The schema of a body as far as it can be checked; true where nothing is documented. */
function bodySchema(response: Data, { schemas }: ResponseSource): unknown {
  const media = contentOf(response).find(([type]) => jsonType.test(type))?.[1];
  const written = isRecord(media) ? media.schema : undefined;
  if (written === undefined) return true;
  const own = withOwnReferences(written);
  const needed = neededDefinitions(own, schemas);
  const whole = isRecord(own) && Object.keys(needed).length > 0 ? { ...own, $defs: needed } : own;
  return checkableSchema(whole)?.schema ?? true;
}

/** The definitions that a schema refers to, and those that they refer to. */
function neededDefinitions(schema: unknown, schemas: Data): Data {
  const found = new Map<string, unknown>();
  const waiting = [schema];
  while (waiting.length > 0) {
    for (const name of namesIn(waiting.pop())) {
      if (found.has(name) || !(name in schemas)) continue;
      const definition = withOwnReferences(schemas[name]);
      found.set(name, definition);
      waiting.push(definition);
    }
  }
  return Object.fromEntries(found);
}

function namesIn(schema: unknown): string[] {
  const names: string[] = [];
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string' && value.startsWith(definitionPrefix))
      names.push(value.slice(definitionPrefix.length));
    return value;
  });
  return names;
}
