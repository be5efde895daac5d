import type { FilePosition } from '../../../../domain/errors.ts';
import type { Message } from '../../../../domain/message.ts';
import { ProblemsError } from '../../../../domain/problem.ts';
import { contentKey } from '../../../../shared/ids.ts';
import { isRecord, parseJson } from '../../../../shared/json.ts';
import { oneLine } from '../../../../shared/text.ts';
import { LineIndex } from '../../../sources/parsed-source.ts';
import { parseSource } from '../../../sources/source-file.ts';
import { type Located, type PromptfooReading, refuseOtherKeys } from './located.ts';
import { type Expression, expressionsOf, type NunjucksText, parseNunjucks } from './nunjucks-text.ts';
import { csvRows, existsBeside, filesFor, isCode, pathFor, referenceIn, textOfFile } from './referenced-files.ts';

/** A message of a prompt. */
interface PromptMessage {
  readonly role: Message['role'];
  readonly text: NunjucksText;
}

/** A prompt of a config: one text, or the messages of a chat. */
export interface Prompt {
  readonly label: string;
  readonly isChat: boolean;
  readonly messages: readonly PromptMessage[];
  readonly item: Located;
}

/** A text with where its characters are. */
interface PlacedText {
  readonly text: string;
  positionOf(character: number): FilePosition;
}

const longestLabel = 60;
const textFile = /^[\w./\\ -]+\.(?:txt|md|json|ya?ml|j2)$/i;
/** A prompt that is kept elsewhere, or made by a program. */
const otherReference = /^(?:[a-z][\w+.-]*:\/\/|(?:exec|package|python|golang|ruby):)(?=\S+$)/i;
const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

/** Reads all prompts of a config. */
export async function readPrompts(section: Located, reading: PromptfooReading): Promise<Prompt[]> {
  if (section.isMissing) {
    reading.found.problems.push({ at: reading.source.locate([]), message: '`prompts` is missing' });
    return [];
  }
  const prompts: Prompt[] = [];
  for (const item of section.items()) prompts.push(...(await readPrompt(item, reading)));
  const labels = new Set<string>();
  return prompts.map((prompt) => {
    const label = labels.has(prompt.label) ? `${prompt.label} (${labels.size + 1})` : prompt.label;
    labels.add(label);
    return { ...prompt, label };
  });
}

async function readPrompt(item: Located, reading: PromptfooReading): Promise<Prompt[]> {
  if (isRecord(item.value)) {
    refuseOtherKeys(item, ['id', 'raw', 'label', 'display'], 'of a prompt', reading);
    const content = item.get('raw').isMissing ? item.get('id') : item.get('raw');
    const label = item.get('label').text ?? item.get('display').text;
    const prompts = await readPrompt(content, reading);
    return prompts.map((prompt) => ({ ...prompt, label: label ?? prompt.label }));
  }
  const written = item.text;
  if (written === undefined || written.trim() === '') {
    reading.found.problems.push(item.problem('a prompt must be a text'));
    return [];
  }
  const isPath = textFile.test(written) && !written.includes('\n') && existsBeside(written, reading);
  const reference = referenceIn(written) ?? (isPath ? { path: written, exportName: undefined } : undefined);
  if (reference) return readFiles(reference.path, item, reading);
  const [scheme] = otherReference.exec(written.trim()) ?? [];
  if (scheme !== undefined) {
    const hint = 'Write the prompt as a text, a text file, or a list of messages.';
    reading.found.problems.push(item.problem(`a prompt from ${scheme} cannot be read by Assay`, hint));
    return [];
  }
  return [promptOf({ text: written, positionOf: (at) => item.characterAt(at) }, labelOf(written), item, reading)];
}

async function readFiles(path: string, item: Located, reading: PromptfooReading): Promise<Prompt[]> {
  if (/\.csv$/i.test(path)) return readTable(path, item, reading);
  if (isCode(path) || /\.(?:py|rb|go)$/i.test(path)) {
    const hint = 'Write the prompt as a text, a text file, or a list of messages.';
    reading.found.problems.push(item.problem(`a prompt from ${path} has no equal in Assay`, hint));
    return [];
  }
  const paths = await filesFor(path, reading);
  if (paths.length === 0) reading.found.problems.push(item.problem(`no file matches ${path}`));
  const prompts: Prompt[] = [];
  for (const file of paths) {
    const text = await textOfFile(file, item, reading);
    if (text === undefined) continue;
    const displayPath = pathFor(file, reading);
    // Text files may hold several prompts.
    const texts = /\.(?:txt|md|j2)$/i.test(file) ? separated(text) : [{ text, offset: 0 }];
    const lines = new LineIndex(text);
    for (const [index, part] of texts.entries()) {
      const positionOf = (at: number) => lines.position(displayPath, part.offset + at - 1);
      const label = texts.length === 1 ? file : `${file} ${index + 1}`;
      const chat = /\.ya?ml$/i.test(file) ? await yamlChat(displayPath, text, item, reading) : undefined;
      prompts.push(promptOf({ text: part.text, positionOf }, label, item, reading, chat));
    }
  }
  return prompts;
}

/** Prompts of a table: the column `prompt`, or the only column, and labels beside them. */
async function readTable(path: string, item: Located, reading: PromptfooReading): Promise<Prompt[]> {
  const text = await textOfFile(path, item, reading);
  if (text === undefined) return [];
  const file = pathFor(path, reading);
  const rows = csvRows(text, file, reading);
  const column = (name: string): number => rows[0]?.cells.findIndex((cell) => cell.trim() === name) ?? -1;
  const [prompts, labels] = [column('prompt'), column('label')];
  if (prompts === -1 && rows.some(({ cells }) => cells.length > 1)) {
    reading.found.problems.push(item.problem(`${path} has no column \`prompt\``));
    return [];
  }
  return (prompts === -1 ? rows : rows.slice(1)).flatMap(({ cells, line }) => {
    const written = cells[Math.max(0, prompts)]?.trim() ?? '';
    const positionOf = () => ({ file, line, column: 1 });
    const label = cells[labels]?.trim() || labelOf(written);
    return written === '' ? [] : [promptOf({ text: written, positionOf }, label, item, reading)];
  });
}

function separated(text: string): { readonly text: string; readonly offset: number }[] {
  let offset = 0;
  return text.split(/^---[ \t]*$/m).flatMap((part) => {
    const start = text.indexOf(part, offset);
    offset = start + part.length;
    const trimmed = part.trim();
    return trimmed === '' ? [] : [{ text: trimmed, offset: text.indexOf(trimmed, start) }];
  });
}

function promptOf(
  placed: PlacedText,
  label: string,
  item: Located,
  reading: PromptfooReading,
  yaml?: readonly ChatMessage[],
): Prompt {
  const chat = yaml ?? chatOf(parseJson(placed.text.trim()));
  const read = (text: string): NunjucksText => {
    const parsed = parseNunjucks(text);
    const start = placed.text.indexOf(text);
    for (const { column, message } of parsed.problems) {
      reading.found.problems.push({ at: placed.positionOf(Math.max(0, start) + column), message, hint: templateHint });
    }
    refuseVariablesOfMachine(parsed, (column) => placed.positionOf(Math.max(0, start) + column), reading);
    return parsed;
  };
  if (chat === undefined && /^\s*\[\s*\{\s*"role"/.test(placed.text)) {
    const message = 'the messages of this prompt are not valid JSON before their vars are filled in';
    reading.found.problems.push({ at: item.at, message, hint: 'Put quotes around `{{…}}`, without `| dump`.' });
  }
  if (!chat) return { label, isChat: false, item, messages: [{ role: 'user', text: read(placed.text) }] };
  return { label, isChat: true, item, messages: chat.map(({ role, content }) => ({ role, text: read(content) })) };
}

const templateHint =
  'Supported are values such as `{{user.name}}`, operators, `if`, `for`, `set`, and the usual filters without code.';

/** Variables of the machine would make a run depend on it without a trace of that. */
function refuseVariablesOfMachine(
  parsed: NunjucksText,
  positionOf: (column: number) => FilePosition,
  { found }: PromptfooReading,
): void {
  for (const { roots, source, column } of expressionsOf(parsed)) {
    if (!roots.includes('env')) continue;
    const message = `\`${source}\` is supported in providers only`;
    found.problems.push({ at: positionOf(column), message, hint: 'Write the value as one of the vars.' });
  }
}

interface ChatMessage {
  readonly role: Message['role'];
  readonly content: string;
}

/** The messages of a chat; undefined for any other data. */
function chatOf(data: unknown): readonly ChatMessage[] | undefined {
  return Array.isArray(data) && data.length > 0 && data.every(isChatMessage) ? data : undefined;
}

/** The messages of a chat in YAML; any other data is refused. */
async function yamlChat(file: string, text: string, item: Located, reading: PromptfooReading) {
  try {
    const { value } = await parseSource(file, text);
    const chat = chatOf(value);
    if (chat) return chat;
    const hint = 'Write a list of `role` and `content`.';
    reading.found.problems.push(item.problem(`${file} is not a list of messages with text`, hint));
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    reading.found.problems.push(...error.problems);
  }
  return undefined;
}

function isChatMessage(value: unknown): value is ChatMessage {
  return isRecord(value) && roles.has(String(value.role)) && typeof value.content === 'string';
}

function labelOf(text: string): string {
  const line = oneLine(text);
  return line.length <= longestLabel ? line : `${line.slice(0, longestLabel - 10)}… ${contentKey([text]).slice(0, 8)}`;
}

/** All expressions of a prompt. */
export function expressionsIn({ messages }: Prompt): Expression[] {
  return messages.flatMap(({ text }) => expressionsOf(text));
}

/** Field of a case with what an expression writes: the var itself where its value is written as it is. */
export function fieldOf({ field, isVar }: Expression, unwritten: ReadonlySet<string>): string {
  return isVar && unwritten.has(field) ? `${field}.text` : field;
}

/** The messages with templates that cases fill in. */
export function templatesOf(
  { messages }: Prompt,
  { prefix, suffix }: { readonly prefix: string; readonly suffix: string },
  unwritten: ReadonlySet<string>,
): Message[] {
  return messages.map(({ role, text }) => {
    const content = text.parts
      .map((part) => (typeof part === 'string' ? part : `{{${fieldOf(part, unwritten)}}}`))
      .join('');
    return { role, content: `${prefix}${content}${suffix}` };
  });
}
