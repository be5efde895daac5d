const shellStart = /^(?:\S*\/)?(?:ba|z|da|k|a)?sh -l?c /;

/** The command that a shell is started for: `ls -a` of `/bin/bash -lc 'ls -a'`; anything else as it is. */
export function innerCommand(command: string): string {
  const start = shellStart.exec(command)?.[0];
  return start === undefined ? command : (onlyWord(command.slice(start.length)) ?? command);
}

/** The value of a text that is one word for a shell, whatever way it is quoted. */
function onlyWord(text: string): string | undefined {
  const part = /'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|([^\s'"\\|&;<>()$`]+)/y;
  let word = '';
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (!found) return undefined;
    const [, single, double, escaped, bare] = found;
    word += single ?? double?.replace(/\\([$`"\\\n])/g, '$1') ?? escaped ?? bare ?? '';
  }
  return text === '' ? undefined : word;
}
