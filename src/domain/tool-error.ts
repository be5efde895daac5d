import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** Error of a tool that refused or failed: always a message, plus fields that depend on the kind of target. */
export const toolErrorSchema = lazySchema(() => z.looseObject({ message: z.string() }));
export type ToolError = z.infer<typeof toolErrorSchema>;

/** Whether Assay made the error, such as one for a call without an answer; the codes of servers are numbers. */
export function isOwnError({ code }: ToolError): boolean {
  return typeof code === 'string';
}

/** An error as its class and message: `TypeError: x is not a function`. */
export function toolErrorText({ name, message }: ToolError): string {
  return typeof name === 'string' && name !== '' ? `${name}: ${message}` : message;
}
