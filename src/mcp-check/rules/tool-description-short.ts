import { perTool, type Rule } from '../rule.ts';
import { isNameRepeated } from './tool-description-repeats-name.ts';

const fewestWords = 3;

/** Descriptions of one or two words. */
export const toolDescriptionShort: Rule = {
  id: 'tool-description-short',
  severity: 'warning',
  summary: 'The description of the tool says next to nothing',
  why: 'A model cannot tell from it when to use the tool and what comes back.',
  fix: 'Say in one or two sentences what it does, when to use it and what comes back.',
  check: (server) =>
    perTool(server, (tool) => {
      const text = tool.description.trim();
      const words = text.split(/\s+/).length;
      // Some languages are written without spaces.
      const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{P}\p{N}\s]*$/u.test(text);
      if (text === '' || words >= fewestWords || !isSpaced || isNameRepeated(tool)) return undefined;
      return `The description is only "${text}".`;
    }),
};
