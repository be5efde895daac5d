import { perTool, type Rule } from '../rule.ts';
import { argumentsOf } from '../tool-arguments.ts';
import { nameWords } from '../words.ts';

const listing = new Set('list search find query browse scan fetchall getall listall'.split(' '));
const limiting = new Set(
  'limit max maximum count page cursor offset size top first last head tail num number n k rows results depth per skip take from range start end'.split(
    ' ',
  ),
);

/** Tools that list or search and take nothing that limits how much comes back. */
export const outputUnbounded: Rule = {
  id: 'output-unbounded',
  severity: 'info',
  summary: 'Nothing limits how much the tool returns',
  why: 'With enough data one result fills the context of the model, and what the user asked for falls out of it.',
  fix: 'Take a `limit` with a sensible default and a `cursor`, and say in the result that there is more.',
  check: (server) =>
    perTool(server, (tool) => {
      const words = nameWords(tool.name);
      const isListing = listing.has(words[0] ?? '') || /^(?:get|read|fetch) all\b/.test(words.join(' '));
      if (!isListing) return undefined;
      const args = argumentsOf(tool);
      // Without arguments it is more often a short list of settings; if not, calling it shows how long it is.
      if (args.length === 0) return undefined;
      const isLimited = args.some(({ name }) => nameWords(name).some((word) => limiting.has(word)));
      return isLimited ? undefined : 'It lists or searches, and has no argument such as `limit` or `cursor`.';
    }),
};
