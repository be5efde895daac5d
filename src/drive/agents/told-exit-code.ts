const exitCodeWords = /^(?:Command exited with code|Exit Code): (\d{1,3})\s*$/gim;

/** The exit code that the text of a shell tool's result tells, for agents that have no field for it; else null. */
export function toldExitCode(text: string): number | null {
  const told = [...text.matchAll(exitCodeWords)].at(-1)?.[1];
  return told === undefined ? null : Number(told);
}
