import type { ListedTool } from '../definitions/listed-server.ts';
import { oncePerServer, type Rule } from '../definitions/rule.ts';
import { nameWords } from '../definitions/words.ts';

/** In the order of the report. */
export const annotationRules: readonly Rule[] = [
  {
    id: 'annotations-contradict',
    severity: 'warning',
    summary: 'The annotations of the tool contradict each other or its name',
    why: 'Clients call tools that are marked read-only without asking the user.',
    fix: 'Set `readOnlyHint` to false for a tool that changes anything, and `destructiveHint` to what is true.',
    checkTool: contradiction,
  },
  {
    id: 'annotations-missing',
    severity: 'info',
    summary: 'Tools do not say whether they change anything',
    why: 'Clients must take them for destructive and ask the user before every call; this check calls them only if name and schema look harmless.',
    fix: 'Set `annotations.readOnlyHint`, and `destructiveHint` where it is false.',
    check: (server) =>
      oncePerServer(
        server,
        'without `readOnlyHint`',
        ({ annotations }) => typeof annotations.readOnlyHint !== 'boolean',
      ),
  },
];

const changing = new Set(
  'delete remove drop destroy purge erase wipe truncate overwrite uninstall kill write update insert send publish deploy rename move upload edit'.split(
    ' ',
  ),
);

/** A contradiction in the annotations; undefined where there is none. */
export function contradiction({ name, annotations }: ListedTool): string | undefined {
  if (annotations.readOnlyHint !== true) return undefined;
  if (annotations.destructiveHint === true) return 'It is marked both read-only and destructive.';
  const [verb = ''] = nameWords(name);
  return changing.has(verb) ? `It is marked read-only and called \`${name}\`.` : undefined;
}
