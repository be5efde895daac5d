import { AssayError } from '../../../../domain/errors.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { ToolRewrites } from '../../../mcp/tool-rewrites.ts';
import promptText from './prompts/workflow.v1.md?raw';

/** The wording that a variant names; without one the tools stay as the server words them. */
export function chosenWording(
  name: string | undefined,
  wordings: Readonly<Record<string, ToolRewrites>> = {},
): ToolRewrites {
  if (name === undefined) return {};
  const wording = Object.hasOwn(wordings, name) ? wordings[name] : undefined;
  if (wording) return wording;
  const names = Object.keys(wordings);
  throw new AssayError('FILE_INVALID', `There is no wording "${name}".`, {
    hint:
      names.length === 0
        ? 'Define it under the wordings of the server, or remove it from the variant.'
        : suggestion(name, names),
  });
}

interface Additions {
  /** The server's instructions, which every client passes on to its model. */
  readonly instructions: string | undefined;
  /** Instructions of the author of the workflow. */
  readonly system: string | undefined;
}

/** The system prompt of a workflow. */
export function systemPrompt({ instructions, system }: Additions): string {
  const parts = [
    promptText.trim(),
    instructions?.trim() && `The server says of its tools:\n${instructions.trim()}`,
    system?.trim(),
  ];
  return parts.filter((part) => part).join('\n\n');
}
