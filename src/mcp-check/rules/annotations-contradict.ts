import type { ListedTool } from '../listed-server.ts';
import { perTool, type Rule } from '../rule.ts';
import { nameWords } from '../words.ts';

const changing = new Set(
  'delete remove drop destroy purge erase wipe truncate overwrite uninstall kill write update insert send publish deploy rename move upload edit'.split(
    ' ',
  ),
);

/** Annotations that cannot be true together, or not with the name. */
export const annotationsContradict: Rule = {
  id: 'annotations-contradict',
  severity: 'warning',
  summary: 'The annotations of the tool contradict each other or its name',
  why: 'Clients call tools that are marked read-only without asking the user.',
  fix: 'Set `readOnlyHint` to false for a tool that changes anything, and `destructiveHint` to what is true.',
  check: (server) => perTool(server, contradiction),
};

/** What in the annotations cannot be true; undefined when nothing speaks against them. */
export function contradiction({ name, annotations }: ListedTool): string | undefined {
  if (annotations.readOnlyHint !== true) return undefined;
  if (annotations.destructiveHint === true) return 'It is marked both read-only and destructive.';
  const [verb = ''] = nameWords(name);
  return changing.has(verb) ? `It is marked read-only and called \`${name}\`.` : undefined;
}
