import { editResponse, withJson, type Fields } from './edit.ts';
import { strict, type Wrap } from './mutant.ts';

export const eventMutants = strict([
  {
    number: 211,
    name: 'events-skip-one',
    description: 'The last event of a page with several is missing.',
    wrap: editEvents((events) => (events.length > 1 ? events.slice(0, -1) : events)),
  },
  {
    number: 212,
    name: 'events-repeat-one',
    description: 'The first event of a page comes twice.',
    wrap: editEvents((events) => [...events.slice(0, 1), ...events]),
  },
  {
    number: 213,
    name: 'events-out-of-order',
    description: 'The newest event of a page comes first.',
    wrap: editEvents((events) => events.toReversed()),
  },
]);

function editEvents(edit: (events: Fields[]) => Fields[]): Wrap {
  return editResponse((response, request) => {
    const isEvents = new URL(request.url, 'http://localhost').pathname === '/v1/events';
    return isEvents && response.ok ? withJson(response, (events) => edit(events as Fields[])) : response;
  });
}
