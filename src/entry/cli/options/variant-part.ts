import { InvalidArgumentError, Option } from 'commander';
import { type Variant, variantParts } from '../../../domain/variant.ts';
import { partName } from '../../../domain/variant-text.ts';

const written: ReadonlyMap<string, keyof Variant> = new Map(variantParts.map((part) => [partName(part), part]));
const alsoWritten: Readonly<Record<string, keyof Variant>> = { wordings: 'description', description: 'description' };

/** The option `--by`: one part of the variants, such as `agent`, `model` or `wording`. */
export function byOption(description: string): Option {
  return new Option('--by <part>', description).choices([...written.keys()]).argParser((text) => {
    const part = written.get(text) ?? (Object.hasOwn(alsoWritten, text) ? alsoWritten[text] : undefined);
    if (part === undefined) throw new InvalidArgumentError(`Allowed choices are ${[...written.keys()].join(', ')}.`);
    return part;
  });
}
