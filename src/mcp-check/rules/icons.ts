import { isRecord } from '../../shared/json.ts';
import type { Finding, Rule } from '../definitions/rule.ts';

/** In the order of the report. */
export const iconRules: readonly Rule[] = [
  {
    id: 'icon-unusable',
    severity: 'warning',
    summary: 'An icon or a title of the tool cannot be shown',
    why: 'Clients load icons from `https` and `data` addresses only, and leave out what they cannot show.',
    fix: 'Give `icons` as a list of objects with `src` (`https:` or `data:`), and `title` as text.',
    clause: '2025-11-25/basic#icons',
    checkTool: ({ definition }) => defectOf(definition),
  },
];

function defectOf({ icons, title }: Readonly<Record<string, unknown>>): Finding | undefined {
  if (title !== undefined && typeof title !== 'string') return { message: '`title` is not text.', place: 'title' };
  if (icons === undefined) return undefined;
  if (!Array.isArray(icons)) return { message: '`icons` is not a list.', place: 'icons' };
  const wrong = icons.findIndex((icon: unknown) => !isRecord(icon) || !isShowable(icon.src));
  return wrong < 0
    ? undefined
    : { message: `\`icons[${wrong}]\` has no \`src\` with https: or data:.`, place: `icons[${wrong}]` };
}

function isShowable(src: unknown): boolean {
  return typeof src === 'string' && (/^data:image\//.test(src) || (/^https:/.test(src) && URL.canParse(src)));
}
