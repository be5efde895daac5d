import { grouped } from '../../shared/format.ts';
import { isRecord } from '../../shared/json.ts';
import type { ListedItem, ListedTool } from '../definitions/listed-server.ts';
import type { Rule } from '../definitions/rule.ts';
import { argumentsOf, placeOf, type ToolArgument, textOf } from '../definitions/tool-arguments.ts';
import { meaningfulWords, quoted } from '../definitions/words.ts';

/** Fewer tools speak for themselves. */
const fewestTools = 5;

/** In the order of the report. */
export const descriptionRules: readonly Rule[] = [
  {
    id: 'tool-description-missing',
    severity: 'error',
    summary: 'The tool has no description',
    why: 'Models choose tools by their descriptions; of this one they know nothing but its name.',
    fix: 'Say in one or two sentences what it does, when to use it and what comes back.',
    checkTool: ({ description }) => (description.trim() === '' ? 'There is no description.' : undefined),
  },
  {
    id: 'tool-description-repeats-name',
    severity: 'warning',
    summary: 'The description of the tool only repeats its name',
    why: 'A model learns nothing from it that the name did not say: not when to use it, nor what comes back.',
    fix: 'Say what the name leaves open: on what it works, what comes back, when to use another tool.',
    check: ({ tools }) => {
      const found = tools.filter(isNameRepeated);
      const [first] = found;
      if (!first) return [];
      const names = found.map(({ name }) => name);
      return [{ message: `${quoted(names)}: "${first.description.trim()}"`, tools: names }];
    },
  },
  {
    id: 'tool-description-short',
    severity: 'warning',
    summary: 'The description of the tool is too short',
    why: 'A model does not learn from it when to use the tool and what it returns.',
    fix: 'Say in one or two sentences what it does, when to use it and what comes back.',
    checkTool: (tool) => {
      const text = tool.description.trim();
      const words = text.split(/\s+/).length;
      // Some languages are written without spaces.
      const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{P}\p{N}\s]*$/u.test(text);
      if (text === '' || words >= fewestWords || !isSpaced || isNameRepeated(tool)) return undefined;
      return `The description is only "${text}".`;
    },
  },
  {
    id: 'tool-description-long',
    severity: 'warning',
    summary: 'The description of the tool is very long',
    why: 'Some providers refuse or cut descriptions of more than 1,024 characters, and each request pays for all of it.',
    fix: 'Keep what decides when to use the tool; move the rest to arguments, instructions or a resource.',
    checkTool: ({ description }) =>
      description.length > longest ? `The description has ${grouped(description.length)} characters.` : undefined,
  },
  {
    id: 'argument-description-missing',
    severity: 'warning',
    summary: 'Arguments of the tool have no description',
    why: 'A model has to guess what to put there: which format, which unit, relative to what.',
    fix: 'Give each argument a `description`, with an example where the form is not plain.',
    checkTool: (tool) => {
      const silent = argumentsOf(tool).flatMap((argument) => undescribedArguments(argument, ''));
      if (silent.length === 0) return undefined;
      const [first] = silent;
      return {
        message: `Nothing is said about ${quoted(silent)}.`,
        ...(first !== undefined && { place: placeOf(first) }),
      };
    },
  },
  {
    id: 'prompt-description-missing',
    severity: 'info',
    summary: 'Prompts or their arguments have no description',
    why: 'Users choose prompts from a list, and fill in their arguments, by what is written there.',
    fix: 'Give each prompt and each of its arguments a `description`.',
    check({ prompts }) {
      const silent = prompts.flatMap((prompt) => undescribedPrompts(prompt));
      return silent.length === 0 ? [] : [{ message: `Nothing is said about ${quoted(silent)}.` }];
    },
  },
  {
    id: 'instructions-missing',
    severity: 'info',
    summary: 'The server gives no instructions',
    why: 'Clients hand them to the model: it is the place to say how tools belong together and what to do first.',
    fix: 'Send `instructions` in the answer to `initialize`: a few sentences on what the server is for.',
    check: ({ facts, tools }) =>
      tools.length >= fewestTools && (facts.instructions ?? '').trim() === ''
        ? [{ message: 'There are no instructions.' }]
        : [],
  },
];

/** True when a description has no other words than the name or the title. */
function isNameRepeated({ name, description, definition }: ListedTool): boolean {
  const described = meaningfulWords(description);
  if (described.length === 0) return false;
  const title = typeof definition.title === 'string' ? definition.title : '';
  return [name, title].some((known) => {
    const words = new Set(meaningfulWords(known));
    return described.every((word) => words.has(word)) && described.length <= words.size;
  });
}

const fewestWords = 3;

const longest = 1_024;

/** `above`: the descriptions of the arguments that it is a part of. */
function undescribedArguments(argument: ToolArgument, above: string): string[] {
  const own = textOf(argument, 'description');
  const below = argument.parts.flatMap((part) => undescribedArguments(part, `${above} ${own ?? ''}`));
  const isExplainedByParts = argument.parts.length > 0 && below.length === 0;
  const speaksForItself = namesItsValues(argument) || hasOneMeaning(argument) || isNamedIn(above, argument);
  return own !== undefined || isExplainedByParts || speaksForItself ? below : [argument.name, ...below];
}

/** Whether a text has the name of a part as a word, as in `such as [{ time: '2015', value: 23 }]`. */
function isNamedIn(text: string, { name }: ToolArgument): boolean {
  const own = name.split('.').at(-1)?.replaceAll('[]', '') ?? '';
  return /^\w+$/.test(own) && new RegExp(`\\b${own}\\b`).test(text);
}

/** A closed list of values speaks for itself. */
function namesItsValues({ schemas }: ToolArgument): boolean {
  return schemas.some((schema) => Array.isArray(schema.enum) || 'const' in schema);
}

const plainNumbers = new Set('latitude longitude lat lng lon x y z width height page'.split(' '));

/** A number or text of a name that has one meaning everywhere. */
function hasOneMeaning({ name, schemas }: ToolArgument): boolean {
  const own = name.split('.').at(-1) ?? name;
  const isNumber = schemas.some(({ type }) => type === 'number' || type === 'integer');
  return isNumber ? plainNumbers.has(own) : own === 'url';
}

function undescribedPrompts({ name, definition }: ListedItem): string[] {
  const args = Array.isArray(definition.arguments) ? definition.arguments.filter(isRecord) : [];
  const silentArgs = args
    .filter(({ description }) => !hasText(description))
    .map((arg) => `${name}.${String(arg.name)}`);
  return hasText(definition.description) ? silentArgs : [name, ...silentArgs];
}

function hasText(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}
