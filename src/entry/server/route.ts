import type * as z from 'zod';
import type { Caller } from './access/caller.ts';
import type { Role } from './api/access.ts';
import type { ServerContext } from './context.ts';

/** A request whose parts have passed the schemas of its route. */
interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** As it came; its signal is aborted when the client goes away. */
  readonly raw: Request;
}

interface RouteDescription {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** `{name}` is one segment, `{name*}` all that follow. */
  readonly path: `/api/${string}`;
  readonly tag: string;
  /** The least role that may use it. */
  readonly role: Role;
  readonly summary: string;
  /** Of the answer when all is well; 200 unless given. */
  readonly status?: 200 | 201;
}

/** A route as the list and the OpenAPI document see it. */
export interface ApiRoute extends RouteDescription {
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /** The schema of a JSON answer, or the types of another. */
  readonly answer: z.ZodType | { readonly mediaTypes: readonly string[]; readonly description: string };
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

interface RouteDefinition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> extends RouteDescription {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  handle(
    request: ApiRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    context: ServerContext,
  ): Promise<AnswerOf<z.input<Answer>>>;
}

/** A route that answers with JSON: its schemas are tied to the code that they describe. Answers are not parsed again. */
export function jsonRoute<
  Answer extends z.ZodType,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
>(definition: RouteDefinition<Params, Query, Body, Answer>): ApiRoute {
  return definition as unknown as ApiRoute;
}

interface MediaDefinition<Params extends z.ZodObject, Query extends z.ZodObject> extends RouteDescription {
  readonly params?: Params;
  readonly query?: Query;
  readonly answer: { readonly mediaTypes: readonly string[]; readonly description: string };
  handle(request: ApiRequest<z.output<Params>, z.output<Query>, undefined>, context: ServerContext): Promise<Response>;
}

/** A route that answers with something else than one JSON value. */
export function mediaRoute<Params extends z.ZodObject = z.ZodObject, Query extends z.ZodObject = z.ZodObject>(
  definition: MediaDefinition<Params, Query>,
): ApiRoute {
  return definition as unknown as ApiRoute;
}
