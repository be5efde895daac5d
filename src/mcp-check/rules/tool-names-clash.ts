import type { Rule } from '../rule.ts';
import { nameWords, quoted } from '../words.ts';

/** Names that are the same but for upper case and separators. */
export const toolNamesClash: Rule = {
  id: 'tool-names-clash',
  severity: 'warning',
  summary: 'Names of tools differ only in case or separators',
  why: 'Models mix them up, and clients that make names portable make the same name of them.',
  fix: 'Rename one so that a word differs.',
  check({ tools }) {
    const groups = new Map<string, Set<string>>();
    for (const { name } of tools) {
      const key = nameWords(name).join('');
      groups.set(key, (groups.get(key) ?? new Set()).add(name));
    }
    return [...groups.values()]
      .filter((names) => names.size > 1)
      .map((names) => ({ message: `${quoted([...names])} read the same.`, tools: [...names] }));
  },
};
