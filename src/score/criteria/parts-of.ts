import type { Argument, Expr, ObjectEntry } from './syntax.ts';

/** Lists the direct sub-expressions of an expression, the bodies of callbacks included. */
export function partsOf(expr: Expr): Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'root':
    case 'parameter':
      return [];
    case 'member':
      return [expr.object];
    case 'index':
      return [expr.object, expr.index];
    case 'chain':
      return [expr.expression];
    case 'method':
    case 'pattern':
      return [expr.receiver, ...expr.args.map(withoutSpread)];
    case 'iteration': {
      const body = expr.callback.kind === 'arrow' ? [expr.callback.body] : [];
      return [expr.receiver, ...body, ...expr.args.map(withoutSpread)];
    }
    case 'function':
      return expr.args.map(withoutSpread);
    case 'unary':
      return [expr.operand];
    case 'comparison':
    case 'arithmetic':
      return [expr.left, expr.right];
    case 'in':
      return [expr.key, expr.object];
    case 'logical':
      return expr.operands;
    case 'conditional':
      return [expr.test, expr.consequent, expr.alternate];
    case 'template':
      return expr.parts;
    case 'array':
      return expr.elements.map(withoutSpread);
    case 'object':
      return expr.entries.flatMap(partsOfEntry);
  }
}

function withoutSpread(argument: Argument): Expr {
  return argument.kind === 'spread' ? argument.argument : argument;
}

function partsOfEntry(entry: ObjectEntry): Expr[] {
  return entry.kind === 'property' ? [entry.key, entry.value] : [entry.argument];
}
