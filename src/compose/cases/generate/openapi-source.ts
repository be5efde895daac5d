import { AssayError } from '../../../domain/errors.ts';
import { readSource } from '../../../load/sources/source-file.ts';
import { type ListedTool, readTool } from '../../../mcp-check/definitions/listed-server.ts';
import { isRecord } from '../../../shared/json.ts';
import { JsonSchemaRefs } from '../../../shared/json-schema/references.ts';
import { printable } from '../../../shared/text.ts';
import { slugOf } from '../scenario-text.ts';
import type { SourceRequest } from './find-source.ts';
import { generateCalls } from './generate-calls.ts';
import {
  type Arguments,
  type CaseSource,
  type GeneratedCall,
  type GeneratedFile,
  type ToolSurface,
  usableTools,
} from './generated-case.ts';
import { leftOutTools } from './mcp-source.ts';
import { type DocumentedResponses, responsesOf } from './openapi-responses.ts';
import { withOwnReferences } from './openapi-schema.ts';

type Data = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
}

interface Operation {
  readonly tool: ListedTool;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly responses: DocumentedResponses;
  readonly needsToken: boolean;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** An OpenAPI document: one scenario of direct requests for each operation and each path. */
export async function openApiSource(request: SourceRequest): Promise<CaseSource> {
  const { value } = await readSource(request.from, request.cwd);
  const document = isRecord(value) ? value : {};
  if (!/^3\./.test(String(document.openapi))) {
    throw new AssayError('FILE_INVALID', `${request.from} is not an OpenAPI document of version 3.`, {
      hint: 'Export the document as OpenAPI 3.',
    });
  }
  const operations = operationsIn(document);
  if (operations.length === 0) throw new AssayError('FILE_INVALID', `${request.from} has no operations.`);
  const tools = operations.map(({ tool }) => tool);
  const info = isRecord(document.info) ? document.info : {};
  const surface: ToolSurface = {
    name: printable(String(info.title ?? 'API')),
    tools,
    leftOut: leftOutTools(tools, request),
  };
  const readable = operations.filter(({ responses }) => responses.unreadable === undefined);
  const calls = usableTools(surface)
    .flatMap(generateCalls)
    .filter((call) => isSendable(call, readable));
  const base = serverUrl(document);
  return {
    surface,
    calls,
    prompts: [],
    notes: new Map(
      operations.flatMap(({ tool, responses: { unreadable } }) => (unreadable ? [[tool.name, unreadable]] : [])),
    ),
    files: (kept) => operations.flatMap((operation) => operationFiles(operation, kept, base, surface.name)),
  };
}

function serverUrl({ servers }: Data): string {
  const [first] = Array.isArray(servers) ? servers : [];
  const url = isRecord(first) ? String(first.url ?? '') : '';
  return /^https?:\/\//.test(url) ? url.replace(/\/$/, '') : '${API_URL}';
}

function operationsIn(document: Data): Operation[] {
  const refs = new JsonSchemaRefs(document);
  const resolved = (value: unknown): Data => {
    const target = isRecord(value) && typeof value.$ref === 'string' ? refs.resolve(value.$ref) : value;
    return isRecord(target) ? target : {};
  };
  const paths = isRecord(document.paths) ? Object.entries(document.paths) : [];
  return paths.flatMap(([path, written]) => {
    const item = resolved(written);
    return methods.flatMap((method): Operation[] => {
      const operation = item[method];
      if (!isRecord(operation)) return [];
      const shared = [...listIn(item.parameters), ...listIn(operation.parameters)].map(resolved);
      return [operationOf({ document, path, method, operation, parameters: shared, resolved })];
    });
  });
}

interface WrittenOperation {
  readonly document: Data;
  readonly path: string;
  readonly method: string;
  readonly operation: Data;
  readonly parameters: readonly Data[];
  readonly resolved: (value: unknown) => Data;
}

function operationOf({ document, path, method, operation, parameters, resolved }: WrittenOperation): Operation {
  const named = parameters.filter(({ in: place }) => place === 'path' || place === 'query' || place === 'header');
  const body = bodySchema(resolved(operation.requestBody), resolved);
  const bodyProperties = isRecord(body.properties) ? body.properties : {};
  const properties = {
    ...bodyProperties,
    ...Object.fromEntries(named.map(({ name, schema, example }) => [name, withExample(schema, example)])),
  };
  const required = [
    ...listIn(body.required),
    ...named
      .filter(({ required: isRequired, in: place }) => isRequired === true || place === 'path')
      .map(({ name }) => name),
  ];
  const name = typeof operation.operationId === 'string' ? operation.operationId : `${method}-${slugOf(path)}`;
  const description = [operation.summary, operation.description].find(
    (text) => typeof text === 'string' && text !== '',
  );
  const components = isRecord(document.components) ? document.components : {};
  const schemas = isRecord(components.schemas) ? components.schemas : {};
  const inputSchema = withOwnReferences({ type: 'object', properties, required, $defs: schemas });
  const tool = readTool({ name, description, inputSchema, annotations: { readOnlyHint: method === 'get' } });
  if (!tool) throw new AssayError('INTERNAL', 'An operation has no name.');
  return {
    tool,
    method: method.toUpperCase(),
    path,
    parameters: named.map((parameter) => ({ name: String(parameter.name), place: parameter.in as Parameter['place'] })),
    responses: responsesOf(operation, { schemas, resolved }),
    needsToken: listIn(operation.security ?? document.security).length > 0,
  };
}

function withExample(schema: unknown, example: unknown): unknown {
  return example === undefined || !isRecord(schema) ? (schema ?? {}) : { ...schema, examples: [example] };
}

function bodySchema({ content }: Data, resolved: (value: unknown) => Data): Data {
  const media = isRecord(content) ? content['application/json'] : undefined;
  return isRecord(media) ? resolved(media.schema) : {};
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A path without its parameters cannot be requested, and a query holds every type as text. */
function isSendable({ tool: name, label, args, title }: GeneratedCall, operations: readonly Operation[]): boolean {
  const operation = operations.find(({ tool }) => tool.name === name);
  if (!operation) return false;
  const inPath = operation.parameters.filter(({ place }) => place === 'path');
  const isComplete = inPath.every((parameter) => ['string', 'number', 'boolean'].includes(typeof args[parameter.name]));
  if (!isComplete) return false;
  return label !== 'error-path' || !/ is unknown$/.test(title);
}

/** The requests of an operation, one file for each path with its values filled in and for each way to answer. */
function operationFiles(
  operation: Operation,
  calls: readonly GeneratedCall[],
  base: string,
  api: string,
): GeneratedFile[] {
  const { tool, method, needsToken } = operation;
  const byPlace = new Map<string, GeneratedCall[]>();
  for (const call of calls.filter((each) => each.tool === tool.name)) {
    const place = JSON.stringify([`${base}${urlOf(operation, call.args)}`, call.label === 'error-path']);
    byPlace.set(place, [...(byPlace.get(place) ?? []), call]);
  }
  return [...byPlace].map(([place, own], index) => {
    const [url, isRefused] = JSON.parse(place) as [string, boolean];
    const suffix = index === 0 ? '' : ` (${index + 1})`;
    const headers = needsToken ? { headers: { authorization: 'Bearer ${API_TOKEN}' } } : {};
    const cases = own.map((call) => ({
      name: `${call.label}: ${call.title}`,
      input: inputOf(operation, call.args),
    }));
    const responses = isRefused ? operation.responses.refused : operation.responses.accepted;
    return {
      name: `${slugOf(`${tool.name}${suffix}`)}.yaml`,
      content: {
        name: `${api}: ${tool.name}${suffix}`,
        tags: [...new Set(own.map(({ label }) => label))],
        call: { url, method, ...headers },
        evaluators: [{ type: 'http-response', config: { responses } }],
        cases,
      },
    };
  });
}

function urlOf({ path, parameters, method }: Operation, args: Arguments): string {
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(String(args[name])));
  const query = new URLSearchParams();
  if (method !== 'GET')
    for (const { name, place } of parameters)
      if (place === 'query' && name in args) query.set(name, String(args[name]));
  const text = query.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

/** GET sends the input in the query, other methods as a body. */
function inputOf({ parameters, method }: Operation, args: Arguments): Data {
  const elsewhere = parameters.filter(({ place }) => place !== 'query' || method !== 'GET').map(({ name }) => name);
  return Object.fromEntries(Object.entries(args).filter(([name]) => !elsewhere.includes(name)));
}
