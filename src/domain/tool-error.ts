import * as z from 'zod';

/** Error of a tool that refused or failed: always a message, plus fields that depend on the kind of target. */
export const toolErrorSchema = z.looseObject({ message: z.string() });
export type ToolError = z.infer<typeof toolErrorSchema>;

/** An error as its class and message: `TypeError: x is not a function`. */
export function toolErrorText({ name, message }: ToolError): string {
  return typeof name === 'string' && name !== '' ? `${name}: ${message}` : message;
}
