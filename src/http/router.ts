/** Finds the route of an address. Paths are compared after percent-decoding. */
type FindRoute<Route> = (url: string) => { route: Route; parameter: string | undefined } | undefined;

/** Paths are given as `/fixed/path` or `/fixed/:parameter`, where the parameter is the last segment and not empty. */
export function createRouter<Route>(routes: Record<string, Route>): FindRoute<Route> {
  const fixed = new Map<string, Route>();
  const withParameter = new Map<string, Route>();
  for (const [path, route] of Object.entries(routes)) {
    const parameterAt = path.indexOf(':');
    if (parameterAt === -1) fixed.set(path, route);
    else withParameter.set(path.slice(0, parameterAt), route);
  }

  return (url) => {
    const path = pathOf(url);
    const decoded = path.includes('%') ? decode(path) : path;
    const exact = fixed.get(decoded);
    if (exact !== undefined) return { route: exact, parameter: undefined };
    const parameterAt = decoded.lastIndexOf('/') + 1;
    const route = withParameter.get(decoded.slice(0, parameterAt));
    if (route === undefined || parameterAt === decoded.length) return undefined;
    return { route, parameter: decoded.slice(parameterAt) };
  };
}

/**
 * The path in a request's address, which is a bare path when the request had no Host (HTTP/1.0). A `#` is a character
 * like any other: a request target has no fragment (RFC 9112, section 3.2).
 */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', 'https://'.length);
  const end = url.indexOf('?', start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
