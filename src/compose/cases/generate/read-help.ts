/** An option of a command, as a help text shows it. */
interface HelpOption {
  /** With its dashes, the long form where there is one. */
  readonly flag: string;
  /** Whether it takes a value. */
  readonly takesValue: boolean;
  /** Values that it takes; empty where any. */
  readonly choices: readonly string[];
  readonly description: string;
}

/** Content of a help text. */
export interface HelpText {
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly HelpOption[];
  /** Arguments that must be given, in order. */
  readonly required: readonly string[];
}

/** `Commands`, `CORE COMMANDS`, `Basic commands (beginner):`, `These are common commands …:`. */
const commandsHeading =
  /^\s*(?:available |sub|main |all )?commands\s*:?\s*$|^[A-Z ]+ COMMANDS$|^(?!.*\b(?:options|flags)\b)\S.*\bcommands\b.*:\s*$/i;
const heading = /^\S.*:\s*$|^[A-Z][A-Z ]+$/;
const commandLine = /^\s{1,8}([a-z][\w-]*):?(?:[ ,|][^ ].*?)?(?:\s{2,}(\S.*))?$/;
const optionLine = /^\s{1,12}(-{1,2}[A-Za-z][\w-]*)(.*)$/;

/** Reads the text that a program prints for `--help`, in the forms that common libraries write. */
export function readHelp(text: string): HelpText {
  const lines = text
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .slice(0, 2_000);
  const commands = new Map<string, string>();
  const options = new Map<string, HelpOption>();
  let isInCommands = false;
  for (const line of lines) {
    const option = optionIn(line);
    if (option) {
      isInCommands = false;
      if (!options.has(option.flag)) options.set(option.flag, option);
    } else if (commandsHeading.test(line)) isInCommands = true;
    else if (heading.test(line)) isInCommands = false;
    else if (isInCommands) {
      const [, name, description = ''] = commandLine.exec(line) ?? [];
      if (name !== undefined && !commands.has(name)) commands.set(name, description);
    }
  }
  return {
    description: descriptionIn(lines),
    commands: [...commands].map(([name, description]) => ({ name, description })),
    options: [...options.values()],
    required: requiredIn(lines),
  };
}

function optionIn(line: string): HelpOption | undefined {
  const [, first, rest = ''] = optionLine.exec(line) ?? [];
  if (first === undefined) return undefined;
  const [forms = '', description = ''] = splitOnce(`${first}${rest}`);
  const long = /--[A-Za-z][\w-]*/.exec(forms)?.[0];
  const value = /(?:[ =])(<[^>]+>|\[[^\]]+\]|\{[^}]+\}|[A-Z][A-Z_|]*|[a-z]+(?:\|[a-z]+)+)\s*$/.exec(forms)?.[1];
  return {
    flag: long ?? first,
    takesValue: value !== undefined,
    choices: choicesIn(`${value ?? ''} ${description}`),
    description: description.trim(),
  };
}

/** At the first gap of two spaces. */
function splitOnce(text: string): [string, string] {
  const gap = text.search(/\s{2,}\S/);
  return gap < 0 ? [text, ''] : [text.slice(0, gap), text.slice(gap)];
}

function choicesIn(text: string): string[] {
  const listed =
    /\((?:choices|one of|possible values): *([^)]*)\)|\[(?:choices|possible values): *([^\]]*)\]|\{([^}]*,[^}]*)\}|<?((?:[\w-]+\|)+[\w-]+)>?/i.exec(
      text,
    );
  const found = listed?.slice(1).find((part) => part !== undefined);
  return (found ?? '')
    .split(/[,|]/)
    .map((choice) => choice.trim().replace(/^["']|["']$/g, ''))
    .filter((choice) => choice !== '');
}

function descriptionIn(lines: readonly string[]): string {
  const found = lines.find((line) => /^[A-Z][a-z]+ .{8,}/.test(line) && !/^usage/i.test(line) && !/:\s*$/.test(line));
  return found?.trim() ?? '';
}

/** `<name>` of the usage line outside of brackets, without the values of options. */
function requiredIn(lines: readonly string[]): string[] {
  const usage = lines.find((line) => /^\s*usage/i.test(line)) ?? '';
  const bare = usage.replace(/\[[^\]]*\]/g, '').replace(/-{1,2}[\w-]+[ =]<[^>]+>/g, '');
  return [...bare.matchAll(/<([\w-]+)>/g)]
    .map(([, name]) => name ?? '')
    .filter((name) => !/^(?:command|subcommand)$/i.test(name));
}
