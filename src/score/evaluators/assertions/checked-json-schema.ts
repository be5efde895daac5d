import * as z from 'zod';
import { problemOfJsonSchema } from '../../../shared/json-schema/json-schema.ts';

/** A JSON Schema as files hold it; one that cannot be used is an issue at its own place. */
export const checkedJsonSchema = () =>
  z.union([z.record(z.string(), z.unknown()), z.boolean()]).superRefine((schema, context) => {
    const problem = problemOfJsonSchema(schema);
    if (!problem) return;
    const { path, message, hint } = problem;
    context.addIssue({
      code: 'custom',
      path: [...path],
      message: `unusable JSON Schema: ${message}`,
      params: { hint },
    });
  });
