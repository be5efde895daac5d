import {
  type CommandNode,
  type CompoundList,
  forEachChild,
  type PipelineNode,
  parse,
  type Script,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import type {
  AndOrChain,
  Pipeline,
  ShellCommand,
  ShellGroup,
  ShellList,
  ShellWord,
  SimpleCommand,
} from './shell-tree.ts';

/** Substitutions and scripts inside scripts that lie deeper than this are not looked into. */
const maxShellDepth = 30;

/** The parser's time grows with the square of the here-documents of one line, and a text may be made to be slow. */
const maxHereDocuments = 10_000;

/** The commands of a shell text. Every text gives some list: the parser reads on behind what has no place. */
export function parseShell(text: string, depth = 0): ShellList {
  return new ShellTree(depth).listOf(parse(text.split('<<', maxHereDocuments).join('<<')));
}

/** The parser's tree as what is of interest here: what runs, in which order, and what its exit code depends on. */
class ShellTree {
  #depth: number;

  constructor(depth: number) {
    this.#depth = depth;
  }

  listOf({ commands }: Script | CompoundList): ShellList {
    if (this.#depth > maxShellDepth) return [];
    this.#depth += 1;
    const list = commands.map((statement) => this.#chain(statement));
    this.#depth -= 1;
    return list;
  }

  #chain({ command, background = false }: Statement): AndOrChain {
    if (command.type !== 'AndOr') return { first: this.#pipeline(command), rest: [], isBackground: background };
    const [first, ...others] = command.commands.map((one) => this.#pipeline(one));
    const rest = others.map((pipeline, index) => ({ operator: command.operators[index] ?? '&&', pipeline }));
    return { first: first as Pipeline, rest, isBackground: background };
  }

  #pipeline(node: PipelineNode): Pipeline {
    if (node.type !== 'Pipeline') return { commands: [this.#command(node)], isNegated: false };
    const negations = node.prefixes.filter(({ type }) => type === 'Negation');
    const commands = node.commands.map((command) => this.#command(command));
    return { commands: commands.length > 0 ? commands : [nothing], isNegated: negations.length % 2 === 1 };
  }

  #command(node: CommandNode): ShellCommand {
    switch (node.type) {
      case 'Command': {
        const words = [...(node.name ? [node.name] : []), ...node.args].map(shellWordOf);
        const isAssignment = words.length === 0 && node.prefix.some(({ type }) => type === 'Assignment');
        return { kind: 'simple', words, substitutions: this.#substitutionsIn(node), isAssignment };
      }
      case 'TestCommand':
        return { ...nothing, words: [{ text: '[[', isExact: true }], substitutions: this.#substitutionsIn(node) };
      case 'ArithmeticCommand':
        return { ...nothing, words: [{ text: '((', isExact: true }], substitutions: this.#substitutionsIn(node) };
      default:
        return this.#group(node);
    }
  }

  #group(node: Exclude<CommandNode, { type: 'Command' | 'TestCommand' | 'ArithmeticCommand' }>): ShellGroup {
    const isSubshell = node.type === 'Subshell' || node.type === 'Coproc';
    const isConditional = !isSubshell && node.type !== 'BraceGroup' && node.type !== 'Redirected';
    const [list, substitutions] = [this.#listsBelow(node).flat(), this.#substitutionsIn(node)];
    return { kind: 'group', list, substitutions, isSubshell, isConditional };
  }

  /** The lists of commands that belong to a node itself, in the order of the text. */
  #listsBelow(node: SyntaxNode): ShellList[] {
    const lists: ShellList[] = [];
    forEachChild(node, (child) => {
      if (child.type === 'CompoundList') lists.push(this.listOf(child));
      else if (isCommand(child)) lists.push([{ first: this.#pipeline(child), rest: [], isBackground: false }]);
      else if (child.type === 'Elif' || child.type === 'CaseItem') lists.push(...this.#listsBelow(child));
    });
    return lists;
  }

  /** Commands whose output becomes part of a word, or a file, of a node itself. The text of here-documents is data. */
  #substitutionsIn(node: SyntaxNode): ShellList[] {
    if (this.#depth > maxShellDepth) return [];
    const found: ShellList[] = [];
    forEachChild(node, (child) => {
      if ('script' in child) {
        if (child.script) found.push(this.listOf(child.script));
      } else if (!(child.type === 'CompoundList' || child.type === 'HereDocBody' || isCommand(child))) {
        found.push(...this.#substitutionsIn(child));
      }
    });
    return found;
  }
}

const nothing: SimpleCommand = { kind: 'simple', words: [], substitutions: [], isAssignment: false };

const commandTypes: ReadonlySet<string> = new Set<CommandNode['type']>([
  ...(['Command', 'TestCommand', 'ArithmeticCommand', 'Redirected', 'Function', 'Coproc', 'Subshell'] as const),
  ...(['BraceGroup', 'If', 'For', 'ArithmeticFor', 'Select', 'While', 'Case'] as const),
]);

function isCommand(node: SyntaxNode): node is CommandNode {
  return commandTypes.has(node.type);
}

function shellWordOf(node: Word | { readonly type: 'Assignment'; readonly text: string }): ShellWord {
  if (node.type === 'Assignment') return { text: node.text, isExact: !/[$`~*?[{\\'"]/.test(node.text) };
  const parts = node.parts ?? [];
  const text = node.parts ? parts.map(textOf).join('') : node.value;
  // A carriage return before the end of a line is part of the last word to the parser.
  const written = node.text.endsWith('\r') ? text.replace(/\r$/, '') : text;
  return { text: written, isExact: !node.text.startsWith('~') && parts.every(isLiteral) };
}

function textOf(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(textOf).join('');
    case 'CommandExpansion':
      return '$()';
    default:
      return part.text;
  }
}

function isLiteral(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(isLiteral);
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
}
