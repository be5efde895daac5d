import { Link } from '@tanstack/react-router';
import { placeGroups } from './places.ts';

/** Links to every page. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <nav aria-label="Pages" className="flex flex-col gap-4 px-2">
      {placeGroups.map((group) => (
        <div key={group.label}>
          <p className="px-2 pb-1 text-xs font-medium text-muted">{group.label}</p>
          <ul className="flex flex-col gap-px">
            {group.places.map(({ to, label, key, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  onClick={onNavigate}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  aria-keyshortcuts={`g ${key}`}
                  className="flex h-8 items-center gap-2 rounded-md px-2 text-muted no-underline hover:bg-raised hover:text-ink data-[status=active]:bg-raised data-[status=active]:font-medium data-[status=active]:text-ink"
                >
                  <Icon size={16} aria-hidden />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
