import { isRecord } from '../../shared/json.ts';
import { perTool, type Rule } from '../rule.ts';

/** Input schemas that do not say that arguments are an object. */
export const schemaNotObject: Rule = {
  id: 'schema-not-object',
  severity: 'error',
  summary: 'The input schema of the tool is not of `type: object`',
  why: 'The protocol asks for it, and clients refuse the list of tools or the tool without it.',
  fix: 'Write `type: "object"` at the top of `inputSchema`, also for a tool without arguments.',
  check: (server) =>
    perTool(server, ({ inputSchema }) => {
      if (inputSchema === undefined) return { message: 'There is no `inputSchema`.', place: 'inputSchema' };
      if (!isRecord(inputSchema) || inputSchema.type === 'object') return undefined;
      const written = inputSchema.type === undefined ? 'missing' : JSON.stringify(inputSchema.type);
      return { message: `\`type\` at the top of the input schema is ${written}.`, place: 'inputSchema.type' };
    }),
};
