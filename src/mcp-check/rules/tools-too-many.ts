import { grouped } from '../../shared/format.ts';
import { definitionTokens } from '../definition-tokens.ts';
import type { Rule } from '../rule.ts';

const mostTools = 40;
const mostTokens = 20_000;

/** Servers whose tools take too much of a model's attention. */
export const toolsTooMany: Rule = {
  id: 'tools-too-many',
  severity: 'warning',
  summary: 'The server has very many tools',
  why: 'Every request carries all definitions: models choose worse among many, and some clients take no more than 40 tools.',
  fix: 'Merge tools that differ in one argument, shorten descriptions, or split the server.',
  check(server) {
    const tokens = definitionTokens(server.tools);
    if (server.tools.length <= mostTools && tokens <= mostTokens) return [];
    return [{ message: `${server.tools.length} tools take about ${grouped(tokens)} tokens of every request.` }];
  },
};
