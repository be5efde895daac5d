import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** Folders whose texts users read. */
const places = ['src', 'web/src'];

/** Tests and their parts, recorded output, prompts, which models read, and programs in other languages. */
const isLeftOut = (path) =>
  /\.(test|d)\.tsx?$|^(src|web\/src)\/testing\/|\/(fixtures|fakes|prompts|shims|migrations)\//.test(path);

/** Properties whose value is read by users, even if it is one word. */
const readProperties = new Set([
  ...['message', 'hint', 'meaning', 'reason', 'summary', 'description', 'detail', 'details', 'title', 'label'],
  ...['why', 'fix', 'note', 'explanation', 'placeholder', 'heading', 'advice', 'aria-label', 'alt'],
]);

/** Attributes and properties whose value is for machines. */
const machineProperties = new Set([
  ...['className', 'class', 'style', 'd', 'points', 'viewBox', 'transform', 'rel', 'href', 'src', 'type', 'key', 'id'],
  ...['strokeDasharray', 'gridTemplateColumns', 'gridArea', 'transition', 'animation', 'fontFamily', 'font'],
]);

/** Methods of commander and zod whose text argument users read, by its index. */
const readArguments = new Map([
  ['describe', 0],
  ['description', 0],
  ['option', 1],
  ['argument', 1],
  ['addHelpText', 1],
]);

/** Calls and tags whose texts are queries, patterns, selectors or class names. */
const machineCalls =
  /^(sql|raw|css|RegExp|cx|clsx|querySelector(All)?|closest|matches|import|require|URL|matchMedia|execute|cva)$/;

/**
 * Every text in the source that users can read, with its place and kind. A kind is the syntactic place: `error` (message
 * of an AssayError), `cause` (of another error, which becomes a part of a message), a property or variable such as `hint`
 * or `reason`, `help`, `describe`, `page` (text of an element) or `text`.
 */
export function messagesIn(root) {
  return places
    .flatMap((place) =>
      readdirSync(join(root, place), { recursive: true, encoding: 'utf8' }).map((name) => join(place, name)),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !isLeftOut(path))
    .sort()
    .flatMap((path) => messagesOf(readFileSync(join(root, path), 'utf8'), path));
}

/** Messages of one file. */
export function messagesOf(source, path) {
  const lines = lineStarts(source);
  const messages = [];
  const add = (kind, text, node) => {
    const flat = text.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space)).trim();
    if (isMessage(flat, kind)) messages.push({ path, line: lineAt(lines, node.start), kind, text: flat });
  };
  const program = parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path);
  visit(program, 'text', { source, add, errorNames: new Set() });
  return messages;
}

/** Variables in a function that hold the message of an AssayError. */
function errorNamesIn(node, names = new Set()) {
  if (Array.isArray(node)) for (const item of node) errorNamesIn(item, names);
  else if (node && typeof node === 'object') {
    const message = node.type === 'NewExpression' && node.callee.name === 'AssayError' ? node.arguments[1] : undefined;
    if (message?.type === 'Identifier') names.add(message.name);
    for (const child of Object.values(node)) if (child && typeof child === 'object') errorNamesIn(child, names);
  }
  return names;
}

function visit(node, kind, context) {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, kind, context);
    return;
  }
  if (!node || typeof node.type !== 'string' || kind === 'machine') return;
  const visitNode = visitors[node.type];
  if (visitNode) visitNode(node, kind, context);
  else visitChildren(node, 'text', context);
}

function visitChildren(node, kind, context) {
  for (const [key, child] of Object.entries(node)) {
    if (child && typeof child === 'object' && key !== 'typeAnnotation') visit(child, kind, context);
  }
}

/** A code with its meaning and its hint, in `src/domain/error-codes/`. */
function isErrorRow(name, value) {
  return /^[A-Z][A-Z_]+$/.test(name) && value.elements?.length === 2 && String(value.elements[1]?.value).includes(' ');
}

/** Literals keep the kind of the expression that they are part of: `hint: a ? 'b' : 'c'` has two hints. */
const visitors = {
  Literal(node, kind, { add }) {
    if (typeof node.value === 'string') add(kind, node.value, node);
  },
  TemplateLiteral(node, kind, context) {
    context.add(kind, templateText(node, context.source), node);
    visit(node.expressions, 'text', context);
  },
  BinaryExpression(node, kind, context) {
    if (node.operator !== '+')
      return /^[=!]==?$|^in$/.test(node.operator) ? undefined : visitChildren(node, 'text', context);
    const parts = summands(node);
    if (!parts.some(isText)) return visitChildren(node, 'text', context);
    context.add(kind, parts.map((part) => textOf(part, context.source)).join(''), node);
    for (const part of parts) if (!isText(part)) visit(part, 'text', context);
  },
  ConditionalExpression(node, kind, context) {
    visit(node.test, 'text', context);
    visit([node.consequent, node.alternate], kind, context);
  },
  LogicalExpression(node, kind, context) {
    visit([node.left, node.right], kind, context);
  },
  ArrowFunctionExpression(node, kind, context) {
    visit(node.params, 'text', context);
    if (node.body.type === 'BlockStatement') visitFunctionBody(node, context);
    else visit(node.body, kind, context);
  },
  FunctionDeclaration(node, _kind, context) {
    visitFunctionBody(node, context);
  },
  FunctionExpression(node, _kind, context) {
    visitFunctionBody(node, context);
  },
  VariableDeclarator(node, _kind, context) {
    const name = nameOf(node.id);
    visit(node.init, context.errorNames.has(name) ? 'error' : readProperties.has(name) ? name : 'text', context);
  },
  ArrayExpression(node, kind, context) {
    visit(node.elements, kind, context);
  },
  TSAsExpression(node, kind, context) {
    visit(node.expression, kind, context);
  },
  TSSatisfiesExpression(node, kind, context) {
    visit(node.expression, kind, context);
  },
  ParenthesizedExpression(node, kind, context) {
    visit(node.expression, kind, context);
  },
  Property(node, _kind, context) {
    const name = nameOf(node.key);
    if (isErrorRow(name, node.value)) {
      visit(node.value.elements[0], 'meaning', context);
      visit(node.value.elements[1], 'hint', context);
    } else visit(node.value, kindOfProperty(name), context);
  },
  PropertyDefinition(node, _kind, context) {
    visit(node.value, kindOfProperty(nameOf(node.key)), context);
  },
  NewExpression(node, _kind, context) {
    const name = nameOf(node.callee);
    if (machineCalls.test(name)) return;
    const [kind, messageIndex] = name === 'AssayError' ? ['error', 1] : ['cause', 0];
    node.arguments.forEach((argument, index) => {
      visit(argument, name.endsWith('Error') && index === messageIndex ? kind : 'text', context);
    });
  },
  CallExpression(node, _kind, context) {
    const name = nameOf(node.callee.property ?? node.callee);
    visit(node.callee, 'text', context);
    if (machineCalls.test(name)) return;
    node.arguments.forEach((argument, index) => {
      const isRead = readArguments.get(name) === index && node.callee.property;
      const isFlag = name === 'option' && index === 0;
      visit(argument, isFlag ? 'machine' : isRead ? (name === 'describe' ? 'describe' : 'help') : 'text', context);
    });
  },
  TaggedTemplateExpression(node, _kind, context) {
    if (!machineCalls.test(nameOf(node.tag.property ?? node.tag))) visitChildren(node, 'text', context);
  },
  JSXAttribute(node, _kind, context) {
    visit(node.value, kindOfProperty(nameOf(node.name)), context);
  },
  JSXExpressionContainer(node, kind, context) {
    visit(node.expression, kind, context);
  },
  JSXElement(node, _kind, context) {
    visit(node.openingElement.attributes, 'text', context);
    visitElementContent(node, context);
  },
  JSXFragment(node, _kind, context) {
    visitElementContent(node, context);
  },
  ImportDeclaration() {},
  ExportAllDeclaration() {},
  ImportExpression() {},
  TSTypeAliasDeclaration() {},
  TSInterfaceDeclaration() {},
  TSTypeAnnotation() {},
  TSTypeParameterInstantiation() {},
};

function visitFunctionBody(node, context) {
  visit(node.params, 'text', context);
  visit(node.body, 'text', { ...context, errorNames: errorNamesIn(node.body) });
}

/** An element that has text is one sentence, elements inside it included. */
function visitElementContent(node, context) {
  const hasText = node.children.some((child) => child.type === 'JSXText' && /\p{L}/u.test(child.value));
  if (hasText) context.add('page', node.children.map((child) => elementText(child, context.source)).join(''), node);
  for (const child of node.children) visitInside(child, hasText, context);
}

function visitInside(child, isPartOfSentence, context) {
  if (child.type === 'JSXText') return;
  if (isPartOfSentence && child.type === 'JSXElement') {
    visit(child.openingElement.attributes, 'text', context);
    for (const inner of child.children) visitInside(inner, true, context);
    return;
  }
  if (isPartOfSentence && child.type === 'JSXExpressionContainer' && child.expression.type === 'Literal') return;
  visit(child, 'page', context);
}

function elementText(node, source) {
  if (node.type === 'JSXText')
    return node.value.replace(/\s*\n\s*/g, (space, at) =>
      at === 0 || at + space.length === node.value.length ? '' : ' ',
    );
  if (node.type === 'JSXExpressionContainer') return textOf(node.expression, source);
  if (node.type === 'JSXElement' || node.type === 'JSXFragment')
    return node.children.map((child) => elementText(child, source)).join('');
  return '';
}

function summands(node) {
  return node.type === 'BinaryExpression' && node.operator === '+'
    ? [...summands(node.left), ...summands(node.right)]
    : [node];
}

function isText(node) {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function textOf(node, source) {
  if (node.type === 'TemplateLiteral') return templateText(node, source);
  if (node.type === 'Literal') return String(node.value);
  if (node.type === 'JSXEmptyExpression') return '';
  return placeholder(node, source);
}

function templateText(node, source) {
  return node.quasis
    .map((quasi, index) => {
      const value = node.expressions[index];
      return (quasi.value.cooked ?? quasi.value.raw) + (value ? placeholder(value, source) : '');
    })
    .join('');
}

/** A value in a message, by the last name in its expression: `{file}` for `${shown(at.file)}`. */
function placeholder(node, source) {
  const code = source.slice(node.start, node.end);
  const names = code.match(/[A-Za-z_]\w*/g) ?? ['value'];
  return `{${/^[\w.]+$/.test(code) || code.length > 60 ? names.at(-1) : code.replace(/\s+/g, ' ')}}`;
}

function kindOfProperty(name) {
  if (machineProperties.has(name) || name.startsWith('data-')) return 'machine';
  return readProperties.has(name) ? name : 'text';
}

function nameOf(node) {
  return String(node?.name?.name ?? node?.name ?? node?.value ?? '');
}

/** One word is a message only where users read it; queries, code and lists of class names are none. */
function isMessage(text, kind) {
  if (!/\p{L}/u.test(text.replaceAll(/\{[^}]*\}/g, ''))) return false;
  if (/^(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|BEGIN|WITH) /i.test(text) && kind === 'text')
    return !/^[A-Z]{4,} /.test(text);
  return kind !== 'text' || /\p{L}.* | .*\p{L}/u.test(text);
}

function lineStarts(source) {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts, offset) {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
