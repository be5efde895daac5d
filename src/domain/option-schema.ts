import * as z from 'zod';
import { armChoiceSchema } from './arm-choice.ts';
import { attackChoiceSchema } from './attacks/attack-suite.ts';
import { experimentWishSchema } from './experiment.ts';
import type { RunOptions, Structures } from './option-values.ts';
import { type KeptKey, type KeyOfWay, runOptions } from './run-options/index.ts';
import type { RunOption, Way } from './run-options/run-option.ts';

const structures: { readonly [Name in keyof Structures]: z.ZodType<Structures[Name]> } = {
  arms: armChoiceSchema,
  attacks: attackChoiceSchema,
  experiment: experimentWishSchema,
};

const longestText = 1_000;
const mostNames = 1_000;

function schemaOf({ value }: RunOption): z.ZodType {
  switch (value.kind) {
    case 'text':
      return z
        .string()
        .trim()
        .min(1)
        .max(value.longest ?? longestText);
    case 'integer':
      return z.int().min(value.from).max(value.to);
    case 'number':
      return value.above === undefined
        ? z
            .number()
            .min(value.from ?? 0)
            .max(value.to)
        : z.number().gt(value.above).max(value.to);
    case 'share':
      return z.number().min(0);
    case 'switch':
      return z.boolean();
    case 'names':
      return z.array(value.of ? z.enum(value.of) : z.string().min(1).max(longestText)).max(mostNames);
    case 'choice':
      return z.enum(value.of);
    case 'structure':
      return structures[value.name];
  }
}

/** The help of an option, for ways without its flags. */
function helpOf({ help, aliases = [] }: RunOption): string {
  const others = aliases.filter((alias) => alias.help !== undefined);
  return [help, ...others.map((alias) => `${alias.value}: ${alias.help}`)].join('; ');
}

type Shape<Key extends keyof RunOptions> = {
  [K in Key]: z.ZodOptional<z.ZodType<NonNullable<RunOptions[K]>>>;
};

function shapeOf(options: readonly RunOption[], typeOf = schemaOf): Record<string, z.ZodType> {
  return Object.fromEntries(options.map((option) => [option.key, typeOf(option).optional().describe(helpOf(option))]));
}

/** The options that can be given in a way, as the fields of an object. */
export function fieldsOf<W extends Way>(way: W): Shape<KeyOfWay<W>> {
  return shapeOf(runOptions.filter(({ ways }) => ways.includes(way))) as Shape<KeyOfWay<W>>;
}

/** The options that are keys of the config, with their defaults; without one, a key may be left out. */
export function configFields<Defaults extends object>(defaults: Defaults): ConfigShape<Defaults> {
  const values = new Map<string, unknown>(Object.entries(defaults));
  const options = runOptions.filter(({ ways }) => ways.includes('config'));
  const fields = options.map((option) => {
    const value = values.get(option.key);
    const schema = value === undefined ? schemaOf(option).optional() : schemaOf(option).default(value);
    return [option.key, schema.describe(option.configHelp ?? helpOf(option))];
  });
  return Object.fromEntries(fields) as ConfigShape<Defaults>;
}

type ConfigShape<Defaults> = {
  [Key in KeyOfWay<'config'>]: Key extends keyof Defaults
    ? z.ZodDefault<z.ZodType<NonNullable<RunOptions[Key]>>>
    : z.ZodOptional<z.ZodType<NonNullable<RunOptions[Key]>>>;
};

/** The options that a run keeps, as the fields of its request. */
export function keptFields(): Shape<KeptKey> {
  return shapeOf(
    runOptions.filter(({ keptBy }) => keptBy.includes('resume')),
    keptSchemaOf,
  ) as Shape<KeptKey>;
}

/** Bounds of texts are for those who give them: a stored run can be read, whatever it is called. */
function keptSchemaOf(option: RunOption): z.ZodType {
  return option.value.kind === 'text' ? z.string() : schemaOf(option);
}
