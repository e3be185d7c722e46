-- Sends the requests in the file BENCH_REQUESTS in order, over and over. Each line is "METHOD<tab>path<tab>body".
-- Prints READY once the file is read: the load begins then.
local thread
function setup(only)
  thread = only
end

function init()
  local requests, position = readRequests(), tonumber(os.getenv("BENCH_START"))
  -- A single request is left to wrk itself, which then runs no Lua per request.
  if requests then
    function request()
      position = position % #requests + 1
      return requests[position]
    end
  end
  processorSecondsBefore = os.clock()
  io.stderr:write("READY\n")
end

function readRequests()
  local requests = {}
  for line in io.lines(os.getenv("BENCH_REQUESTS")) do
    local method, path, body = line:match("^(%u+)\t([^\t]*)\t(.*)$")
    wrk.method, wrk.path, wrk.body = method, path, body ~= "" and body or nil
    wrk.headers["Content-Type"] = wrk.body and "application/json"
    requests[#requests + 1] = wrk.format()
  end
  return #requests > 1 and requests or nil
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"loadSeconds":%.3f,"errors":%d}\n',
    summary.requests, summary.duration / 1e6, os.clock() - thread:get("processorSecondsBefore"),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
