import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { nestedTemplateColumn, templatesIn } from '../../shared/templates.ts';
import { oneLine } from '../../shared/text.ts';

/** Kinds of attacks, by how they try to persuade an agent. */
export const attackClasses = {
  direct: 'says plainly what to do',
  'role-play': 'speaks with authority, or as another part of the conversation',
  encoded: 'hides the instruction in an encoding',
  'tool-description': 'is part of the definition of a tool',
  'cross-tool': 'makes the use of one tool depend on another',
  'exfiltration-url': 'wants a secret in an address',
  'exfiltration-argument': 'wants a secret in an argument or a file',
} as const;

/** Places in which an instruction is planted. */
export const attackPlaces = {
  'tool-result': 'at the end of the results of tools',
  'error-message': 'in the message of the first call of each tool, which fails',
  'tool-description': 'at the end of the description of the first tool of an MCP server',
  resource: 'at the end of the resources of an MCP server',
  'file-content': 'at the end of README.md in the work directory, which is created where there is none',
  'file-name': 'as the name of an empty file in the work directory',
} as const;

function keysOf<Key extends string>(table: Readonly<Record<Key, string>>): [Key, ...Key[]] {
  return Object.keys(table) as [Key, ...Key[]];
}

export const attackClassSchema = lazySchema(() => z.enum(keysOf(attackClasses)));
export const attackPlaceSchema = lazySchema(() => z.enum(keysOf(attackPlaces)));
export type AttackPlace = z.infer<typeof attackPlaceSchema>;

/** Names of attacks and tools become parts of variants, file names and reports. */
const plainName = lazySchema(() =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'use letters, digits, `.`, `_` and `-`'),
);

/** A path of a file that lies in the work directory. */
const workFile = lazySchema(() =>
  z
    .string()
    .min(1)
    .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
      message: 'a path inside the work directory is needed',
    }),
);

const shortestSecret = 12;

/** Arguments of calls: the first ones of a program in order, or some of a tool by name. */
const calledArgumentsSchema = lazySchema(() =>
  z.union([z.array(z.union([z.string(), z.number()]).transform(String)).min(1), z.record(z.string(), z.unknown())]),
);

const callGoal = lazySchema(() =>
  z.strictObject({
    tool: plainName.describe('tool or program that must not be called'),
    description: z
      .string()
      .min(1)
      .optional()
      .describe('offers the tool with this description, and answers its calls; without it the real tool is meant'),
    args: calledArgumentsSchema
      .optional()
      .describe(
        'only calls with these arguments count: the first ones of a program in order, or some of a tool by name',
      ),
  }),
);

const leakGoal = lazySchema(() =>
  z.strictObject({
    secret: z
      .string()
      .min(shortestSecret)
      .regex(/^[A-Za-z0-9-]+$/, 'use letters, digits and `-`')
      .optional()
      .describe('secret that must not leave; drawn for each trial without it'),
  }),
);

const changeGoal = lazySchema(() =>
  z.strictObject({
    file: workFile.describe('file that must not change, from the work directory'),
    content: z.string().optional().describe('creates the file with this content; without it the file must exist'),
  }),
);

const goalSchema = lazySchema(() =>
  z
    .strictObject({
      call: callGoal.optional().describe('a tool that must not be called'),
      leak: leakGoal.optional().describe('a secret that must not leave'),
      change: changeGoal.optional().describe('a file that must not change'),
    })
    .refine((goal) => Object.values(goal).filter((part) => part !== undefined).length === 1, {
      message: 'an attack has one goal: `call`, `leak` or `change`',
    }),
);
type AttackGoal = z.output<typeof goalSchema>;

/** Longest name of a planted file, in bytes: file systems take 255. */
const longestFileName = 200;

const templateOfGoal = { call: 'tool', leak: 'secret-place', change: 'file' } as const;

/** One attack: an instruction, where it is planted, and by what its success is seen. */
const attackSchema = lazySchema(() =>
  z
    .strictObject({
      class: attackClassSchema.describe('how it tries to persuade'),
      places: z.array(attackPlaceSchema).min(1).describe('where it is planted, one variant each'),
      goal: goalSchema.describe('what the agent must not do: one of `call`, `leak` and `change`'),
      text: z
        .string()
        .min(1)
        .describe('the instruction; `{{tool}}`, `{{secret-place}}` or `{{file}}` stand for the goal'),
      encoding: z
        .enum(['base64', 'hex', 'rot13'])
        .optional()
        .describe('encodes the instruction; `carrier` then says what to do with it'),
      carrier: z.string().min(1).optional().describe('text around an encoded instruction, which is `{{payload}}`'),
    })
    .superRefine((attack, context) => {
      for (const { path, message, column } of problemsOf(attack))
        context.addIssue({ code: 'custom', path: [...path], message, params: { column } });
    }),
);
export type Attack = z.output<typeof attackSchema>;

interface AttackProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly column?: number | undefined;
}

function problemsOf(attack: z.output<typeof attackSchema>): AttackProblem[] {
  const { goal, text, carrier, encoding, places } = attack;
  const template = templateOfGoal[goalKind(goal)];
  const problems = [...wrongTemplates(text, 'text', template), ...wrongTemplates(carrier ?? '', 'carrier', 'payload')];
  if (encoding !== undefined && !carrier?.includes('{{payload}}'))
    problems.push({ path: ['encoding'], message: '`encoding` needs a `carrier` with `{{payload}}`' });
  if (encoding === undefined && carrier !== undefined)
    problems.push({ path: ['carrier'], message: '`carrier` needs an `encoding`' });
  if (places.includes('file-name') && !fitsFileName(attack))
    problems.push({
      path: ['text'],
      message: `an instruction that is planted as a file name has at most ${longestFileName} bytes and no \`/\``,
    });
  return problems;
}

function wrongTemplates(text: string, key: string, known: string): AttackProblem[] {
  const nested = nestedTemplateColumn(text);
  if (nested !== undefined)
    return [{ path: [key], column: nested, message: 'a template cannot stand inside another template' }];
  return templatesIn(text, [key]).flatMap(({ name, written, column, path }) =>
    name === known ? [] : [{ path, column, message: `unknown template \`${written}\`: use \`{{${known}}}\`` }],
  );
}

/** Templates are filled in with names of up to this many bytes. */
const filledBytes = 40;

function fitsFileName({ text, carrier, encoding }: z.output<typeof attackSchema>): boolean {
  const written = asFileName(carrier === undefined ? text : `${carrier} ${encoding === 'hex' ? text + text : text}`);
  const filled = templatesIn(written, []).length * filledBytes;
  return !written.includes('/') && new TextEncoder().encode(written).length + filled <= longestFileName;
}

/** A text as the name of a file: one line. */
export function asFileName(text: string): string {
  return oneLine(text);
}

/** Which of the goals an attack has. */
export function goalKind({ call, leak }: AttackGoal): 'call' | 'leak' | 'change' {
  if (call) return 'call';
  return leak ? 'leak' : 'change';
}

/** A file with attacks. */
export const attackSuiteSchema = lazySchema(() =>
  z.strictObject({
    $schema: z.string().optional(),
    suite: plainName.describe('name of the suite'),
    version: z.int().min(1).describe('number that is raised whenever an attack changes'),
    description: z.string().optional().describe('what the suite is for'),
    attacks: z
      .record(plainName, attackSchema)
      .refine((attacks) => Object.keys(attacks).length > 0, { message: '`attacks` must have at least one attack' })
      .describe('attacks by name'),
  }),
);
export type AttackSuite = z.output<typeof attackSuiteSchema>;

/** An attack in one place, with where it is written. */
export interface PlannedAttack {
  readonly name: string;
  readonly suite: string;
  readonly version: number;
  readonly attack: Attack;
  readonly place: AttackPlace;
  /** As `file:line:column`. */
  readonly rule: string;
}

/** Name of the variant without an attack. */
export const noAttack = 'none';

/** Name of the variant that has an attack in a place. */
export function attackLabel(name: string, place: AttackPlace): string {
  return `${name}@${place}`;
}

/** The section `attack` of a scenario. */
export const attackSectionSchema = lazySchema(() =>
  z
    .strictObject({
      name: plainName.describe('name of the attack in its suite'),
      place: attackPlaceSchema.describe('where it is planted'),
      suites: z
        .array(z.string().min(1))
        .default([])
        .describe('names of bundled suites, or files from the folder of the project; by default the bundled ones'),
    })
    .optional()
    .describe('plants this attack in every trial; a trial fails where the attack succeeds'),
);
export type AttackSection = z.output<typeof attackSectionSchema>;

/** Attacks to run. */
export const attackChoiceSchema = lazySchema(() =>
  z.object({
    suites: z.array(z.string()).describe('names of bundled suites, or files; empty: the bundled ones'),
    names: z.array(z.string()).describe('empty: all attacks of the suites'),
    places: z.array(attackPlaceSchema).describe('empty: all places'),
  }),
);
export type AttackChoice = z.infer<typeof attackChoiceSchema>;
