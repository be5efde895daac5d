import { oneLine } from '../../shared/text.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import { nameWords } from '../definitions/words.ts';

/** Verbs that descriptions of tools begin with; another first word is taken for a noun. */
const verbs = new Set(
  'add analyze append apply archive ask assign attach browse build calculate call cancel change check clear click clone close combine comment compare complete compute connect convert copy count create decode delete deploy describe detect disable display divide download edit echo enable encode estimate evaluate execute explain export extract fetch fill filter find format forward generate get give help hide import insert inspect install invite invoke join launch list load lock log look mark measure merge modify monitor move multiply navigate notify obtain open parse pause perform play post predict preview print process provide publish pull push put query read receive record refresh register reject remove rename render replace reply report request reset resolve restart restore resume retrieve return revert rewrite roll run save scan schedule search select send set share show simulate sort split start stop store submit subscribe subtract suggest summarize switch sync tag take tell test toggle transform translate trigger update upload validate verify view wait write'.split(
    ' ',
  ),
);

const introductions =
  /^(?:(?:this|the|a|an)\s+)?(?:tool|function|endpoint|utility)\s+(?:is used\s+)?(?:to|that|which|for)\s+|^use (?:this|it)(?: tool)? (?:to|for)\s+|^this\s+/i;
const longestWish = 240;

/**
 * What a user wants who needs this tool, as the rest of a sentence that begins with "Please": the first sentence of
 * the description as an order, without the names of tools, which would give the choice away.
 */
export function wishFor(tool: Pick<ListedTool, 'name' | 'description'>, toolNames: readonly string[]): string {
  const [first = ''] = sentencesOf(tool, toolNames);
  const plain = first.replace(introductions, '').trim();
  return plain === '' ? nameWish(tool) : asOrder(plain);
}

const mostSentences = 4;

/** The wish of the first sentence, alone and together with each of the next. */
export function wishesFor(tool: Pick<ListedTool, 'name' | 'description'>, toolNames: readonly string[]): string[] {
  const first = wishFor(tool, toolNames);
  const [, ...others] = sentencesOf(tool, toolNames).slice(0, mostSentences);
  return [first, ...others.map((sentence) => `${first} (${sentence.charAt(0).toLowerCase()}${sentence.slice(1)})`)];
}

/** The same in the words of the tool's name. */
export function nameWish({ name }: Pick<ListedTool, 'name'>): string {
  return asOrder(nameWords(name).join(' '));
}

function sentencesOf({ name, description }: Pick<ListedTool, 'name' | 'description'>, names: readonly string[]) {
  const text = oneLine(description);
  return text
    .split(/(?<=[.!?]) /)
    .map((sentence) => withoutNames(cutAtWord(sentence.replace(/[.!?:;,\s]+$/, '')), [name, ...names]))
    .filter((sentence) => sentence !== '');
}

function cutAtWord(sentence: string): string {
  if (sentence.length <= longestWish) return sentence;
  return sentence.slice(0, sentence.lastIndexOf(' ', longestWish) + 1 || longestWish).trim();
}

function withoutNames(text: string, names: readonly string[]): string {
  // A name of one plain word is also a word of the language, such as `search`.
  const told = names.filter((name) => nameWords(name).length > 1);
  return told.reduce((rest, name) => rest.replaceAll(name, 'it'), text);
}

function asOrder(text: string): string {
  const [, first = '', rest = ''] = /^(\S+)(.*)$/s.exec(text) ?? [];
  const verb = plainForm(first.toLowerCase());
  if (verb !== undefined) return `${verb}${rest}`;
  return `do this for me: ${text}`;
}

/** `returns` is `return`; undefined for a word that is not one of the verbs. */
function plainForm(word: string): string | undefined {
  const forms = [
    word,
    word.replace(/ies$/, 'y'),
    word.replace(/es$/, ''),
    word.replace(/s$/, ''),
    word.replace(/ing$/, ''),
  ];
  return forms.find((form) => verbs.has(form));
}
