import type { ListedTool } from '../listed-server.ts';
import { perTool, type Rule } from '../rule.ts';
import { meaningfulWords } from '../words.ts';

/** Descriptions that say what the name says. */
export const toolDescriptionRepeatsName: Rule = {
  id: 'tool-description-repeats-name',
  severity: 'warning',
  summary: 'The description of the tool only repeats its name',
  why: 'A model learns nothing from it that the name did not say: not when to use it, nor what comes back.',
  fix: 'Say what the name leaves open: on what it works, what comes back, when to use another tool.',
  check: (server) =>
    perTool(server, (tool) => (isNameRepeated(tool) ? `The description is "${tool.description.trim()}".` : undefined)),
};

/** True when a description has no other words than the name or the title. */
export function isNameRepeated({ name, description, definition }: ListedTool): boolean {
  const said = meaningfulWords(description);
  if (said.length === 0) return false;
  const title = typeof definition.title === 'string' ? definition.title : '';
  return [name, title].some((known) => {
    const words = new Set(meaningfulWords(known));
    return said.every((word) => words.has(word)) && said.length <= words.size;
  });
}
