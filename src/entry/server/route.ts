import * as z from 'zod';
import type { Caller } from './access/caller.ts';
import type { Role } from './api/access.ts';
import type { ServerContext } from './context.ts';

type Method = 'get' | 'post' | 'put' | 'delete';

/** The named parts of paths: `{name}` is one segment, `{path*}` all that follow. A name means the same in every route. */
const pathParts = {
  runId: z.string().max(200).describe('an id, the beginning of one, or `latest`'),
  trialId: z.string().max(200).describe('an id, or an unambiguous beginning of one'),
  index: z.coerce.number().int().min(0),
  format: z.string().max(60).describe('html, junit, markdown, json, csv, …'),
  name: z.string().max(1_000),
  path: z.string().max(4_000).describe('of a file, with slashes'),
  session: z.string().max(100),
  call: z.string().max(100),
  request: z.string().max(100),
  app: z.string().max(100),
};

type PartName = keyof typeof pathParts;
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}*` ? Plain : Name) | NamesIn<Rest>
  : never;
type PartsOf<Path extends string> = {
  readonly [Name in NamesIn<Path> & PartName]: z.output<(typeof pathParts)[Name]>;
};

/** A request whose parts have passed the schemas of its route. */
interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** As it came; its signal is aborted when the client goes away. */
  readonly raw: Request;
}

/** An answer that is not one JSON value. */
interface Media {
  readonly mediaTypes: readonly string[];
  readonly description: string;
}

interface RouteDescription {
  readonly summary: string;
  /** Of the answer when all is well; 200 unless given. */
  readonly status?: 200 | 201;
}

/** A route as the list and the OpenAPI document see it. */
export interface ApiRoute extends RouteDescription {
  readonly method: Method;
  readonly path: string;
  readonly tag: string;
  /** The least role that may use it. */
  readonly role: Role;
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer: z.ZodType | Media;
  /** Gives what is sent as JSON, or a response that is sent as it is. */
  handle(request: ApiRequest, context: ServerContext): Promise<unknown>;
}

/** The fields that have names, of an object that may have others as well. */
type Named<Value> = { readonly [Key in keyof Value as string extends Key ? never : Key]: AnswerOf<Value[Key]> };

/** The answer of a handler for a schema: readonly, and loose objects may have any fields. */
type AnswerOf<Value> = Value extends readonly (infer Item)[]
  ? readonly AnswerOf<Item>[]
  : Value extends object
    ? keyof Named<Value> extends never
      ? { readonly [Key in keyof Value]: AnswerOf<Value[Key]> }
      : Named<Value>
    : Value;

interface RouteDefinition<Params, Query extends z.ZodObject, Body extends z.ZodType, Answer extends z.ZodType | Media>
  extends RouteDescription {
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  handle(
    request: ApiRequest<Params, z.output<Query>, z.output<Body>>,
    context: ServerContext,
  ): Promise<Answer extends z.ZodType ? AnswerOf<z.input<Answer>> : Response>;
}

/**
 * A route such as `GET /api/runs/{runId}` for a role: its schemas are tied to the code that they describe. Answers are not
 * parsed again.
 */
export function route<
  Path extends `/api/${string}`,
  Answer extends z.ZodType | Media,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
>(
  line: `${Uppercase<Method>} ${Path}`,
  role: Role,
  definition: RouteDefinition<PartsOf<Path>, Query, Body, Answer>,
): Omit<ApiRoute, 'tag'> {
  const [method = '', path = ''] = line.split(' ');
  const names = [...path.matchAll(/\{(\w+)\*?\}/g)].map(([, name]) => name as PartName);
  const params =
    names.length === 0 ? undefined : z.object(Object.fromEntries(names.map((name) => [name, pathParts[name]])));
  return { ...definition, method: method.toLowerCase() as Method, path, role, params } as Omit<ApiRoute, 'tag'>;
}

/** Routes of one topic, under its heading in the OpenAPI document. */
export function tagged(tag: string, routes: readonly Omit<ApiRoute, 'tag'>[]): ApiRoute[] {
  return routes.map((each) => ({ ...each, tag }));
}
