import promptText from './prompts/workflow.v1.md?raw';

interface Additions {
  /** What the server says of itself, as every client hands it on to its model. */
  readonly instructions: string | undefined;
  /** What the author of the workflow adds. */
  readonly system: string | undefined;
}

/** What a model is told before the user speaks. */
export function systemPrompt({ instructions, system }: Additions): string {
  const parts = [
    promptText.trim(),
    instructions?.trim() && `The server says of its tools:\n${instructions.trim()}`,
    system?.trim(),
  ];
  return parts.filter((part) => part).join('\n\n');
}
