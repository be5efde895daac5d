import type { ReactNode } from 'react';
import { Badge } from '../../../kit/badge.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { observers } from './event-head.tsx';

/** Explains the signs and colours of the trace. */
export function TraceLegend() {
  return (
    <div className="text-xs text-muted">
      <Disclosure summary="Legend">
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {Object.entries(observers).map(([who, { Sign, role }]) => (
            <Item key={who} sign={<Sign size={13} aria-hidden />}>
              {who}: {role}
            </Item>
          ))}
          <Item sign={<Badge tone="bad">exit 1</Badge>}>failed</Item>
          <Item sign={<Badge tone="warn">mock</Badge>}>Assay answered, broke or planted it</Item>
          <Item sign={<span className="inline-block h-4 shrink-0 border-l-2 border-edge" />}>
            indented: recorded of the agent’s call above it; what no call is known for stands by itself
          </Item>
          <Item sign={<span className="inline-block h-2 w-6 shrink-0 rounded-xs bg-accent" />}>
            from start to end; a thin line: its length is not known
          </Item>
        </ul>
      </Disclosure>
    </div>
  );
}

function Item({ sign, children }: { sign: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden>{sign}</span>
      <span>{children}</span>
    </li>
  );
}
