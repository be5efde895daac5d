import { grouped } from '../../shared/format.ts';
import { perTool, type Rule } from '../rule.ts';

const longest = 1_024;

/** Descriptions that are longer than some providers take. */
export const toolDescriptionLong: Rule = {
  id: 'tool-description-long',
  severity: 'warning',
  summary: 'The description of the tool is very long',
  why: 'Some providers refuse or cut descriptions of more than 1,024 characters, and each request pays for all of it.',
  fix: 'Keep what decides when to use the tool; move the rest to arguments, instructions or a resource.',
  check: (server) =>
    perTool(server, ({ description }) =>
      description.length > longest ? `The description has ${grouped(description.length)} characters.` : undefined,
    ),
};
