"""What users' expressions look like: leaves by type, and whole rules with holes for what is grown.

In a text {k} is a label's key, {v} a value, {r} a resource, {i} an image, {n} a namespace, {z} a key of domains, each quoted;
«type» is an expression of that type, as in cel/templates.py. A text with ~ in front goes through a map, which has no order:
its cost is not compared. One with ! in front is about the pod alone.
"""

LEAVES = {
    "double": """
node.allocatable.cpu
node.allocatable.memory
node.allocatable['ephemeral-storage']
node.allocatable.pods
node.allocatable[{r}]
node.allocatable[?{r}].orValue(0.0)
node.requested.cpu
node.requested.memory
node.requested.pods
node.requested[{r}]
node.requested[?{r}].orValue(0.0)
node.capacity.cpu
node.capacity.memory
node.capacity[{r}]
node.capacity[?{r}].orValue(1.0)
node.domain({z}).allocatable.cpu
node.domain({z}).requested.cpu
node.domain({z}).requested.memory
node.domain({z}).allocatable[{r}]
node.domain({z}).requested[{r}]
node.domain({z}).requested[?{r}].orValue(0.0)
double(node.metadata.labels[{k}])
double(node.metadata.annotations['example.com/cents-per-hour'])
double(node.metadata.?labels[?{k}].orValue('1.5'))
!pod.requests.cpu
!pod.requests.memory
!pod.requests['ephemeral-storage']
!pod.requests[{r}]
!pod.requests[?{r}].orValue(0.0)
!double(pod.spec.containers.size())
""",
    "int": """
node.pods
cluster.nodes
cluster.pods
cluster.domains({z})
cluster.domains({k})
node.podsMatching({{{k}: {v}}}, [])
node.podsMatching({{'app': 'web'}}, [])
node.podsMatching({{}}, [{n}])
node.podsMatching({{'app': 'web', 'tier': 'front'}}, [{n}, 'other'])
node.podsMatching(pod.metadata.labels, [pod.metadata.namespace])
node.podsMatching({{'version': «string»}}, «list(string)»)
cluster.podsMatching({{'app': 'db'}}, [])
cluster.podsMatching(pod.metadata.labels, [{n}])
node.domain({z}).pods
node.domain({z}).podsMatching({{'app': 'web'}}, [])
node.domain({z}).podsMatching(pod.metadata.labels, [pod.metadata.namespace, {n}])
node.images[{i}].size
node.images[{i}].nodes
node.images[?{i}].?size.orValue(0)
size(node.images)
size(node.allocatable)
size(node.requested)
size(node.capacity)
size(node.metadata.labels)
size(node.spec.taints)
size(node.status.conditions)
node.spec.taints.filter(t, t.effect == 'NoSchedule').size()
int(node.metadata.labels[{k}])
!pod.spec.priority
!size(pod.spec.containers)
!size(pod.requests)
!size(pod.spec.tolerations)
!size(pod.metadata.labels)
!pod.spec.containers[0].ports[0].hostPort
!params.most
!pod.spec.containers.map(c, size(c.image)).sum()
!pod.spec.?terminationGracePeriodSeconds.orValue(30)
""",
    "string": """
node.metadata.name
node.metadata.labels[{k}]
node.metadata.labels[{z}]
node.metadata.?labels[?{k}].orValue('none')
node.metadata.annotations['example.com/cents-per-hour']
node.spec.taints[0].key
node.spec.?taints[?0].?value.orValue('')
node.spec.providerID
node.status.conditions[0].type
node.status.conditions.filter(c, c.status == 'True').map(c, c.type).join(',')
!pod.metadata.name
!pod.metadata.namespace
!pod.metadata.labels.app
!pod.metadata.labels['tier']
!pod.metadata.labels[?'version'].orValue('')
!pod.?metadata.?annotations['example.com/wish'].orValue('')
!pod.spec.schedulerName
!pod.spec.priorityClassName
!pod.spec.nodeName
!pod.spec.nodeSelector.disktype
!pod.spec.containers[0].image
!pod.spec.containers[0].resources.requests['cpu']
!pod.spec.containers[0].resources.limits.memory
!pod.spec.tolerations[0].key
!params.zone
!string(now)
""",
    "bool": """
has(node.spec.unschedulable)
node.spec.unschedulable
has(node.spec.taints)
has(node.usage)
has(node.metrics)
has(node.capacity)
has(node.metadata.annotations)
has(node.metadata.labels.disktype)
has(node.allocatable.cpu)
{k} in node.metadata.labels
{i} in node.images
{r} in node.allocatable
{r} in node.requested
{r} in node.capacity
has(node.requested.memory)
node.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
node.status.conditions.exists(c, c.type == 'Ready' && c.lastTransitionTime < now)
pod.spec.tolerations.exists(t, t.key == node.spec.taints[0].key)
node.spec.taints.all(t, pod.spec.tolerations.exists(o, o.key == t.key))
pod.spec.containers.all(c, c.image in node.images)
~node.metadata.labels.exists(k, k.startsWith('topology.'))
~node.metadata.labels.all(k, v, v != 'hdd')
~node.images.exists(i, i.endsWith(':latest'))
~node.images.all(i, node.images[i].size > 300000000)
~node.images.all(i, image, image.nodes <= cluster.nodes)
~node.allocatable.exists(r, node.requested[r] > node.allocatable[r])
~node.requested.all(r, node.requested[r] <= node.allocatable[?r].orValue(0.0))
~node.requested.all(r, amount, amount <= node.allocatable[?r].orValue(0.0))
~node.capacity.all(r, r in node.allocatable)
~node.domain({z}).requested.all(r, r in node.domain({z}).allocatable)
!has(pod.spec.affinity)
!has(pod.spec.affinity.nodeAffinity)
!has(pod.spec.hostNetwork)
!has(pod.metadata.deletionTimestamp)
!has(pod.metadata.annotations)
!has(pod.metadata.labels.app)
!pod.spec.hostNetwork
!{r} in pod.requests
!'app' in pod.metadata.labels
!pod.spec.containers.exists(c, has(c.ports))
!pod.spec.containers.exists(c, c.image.startsWith('nginx'))
!pod.spec.tolerations.exists(t, t.operator == 'Exists')
!pod.spec.volumes.exists(v, has(v.persistentVolumeClaim))
!pod.spec.topologySpreadConstraints.exists(c, c.maxSkew > 1)
!pod.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.exists(t, t.topologyKey == {z})
!params.strict
!~pod.requests.exists(r, r.contains('/'))
!~pod.requests.all(r, amount, amount >= 0.0)
!'list' in params
""",
    "timestamp": """
node.metadata.creationTimestamp
node.status.conditions[0].lastTransitionTime
!pod.metadata.creationTimestamp
!pod.metadata.deletionTimestamp
!now
!now
""",
    "duration": """
now - node.metadata.creationTimestamp
!now - pod.metadata.creationTimestamp
!pod.metadata.creationTimestamp - now
!duration(params.age)
""",
    "map(string,string)": """
node.metadata.labels
node.metadata.annotations
!pod.metadata.labels
!pod.metadata.annotations
!pod.spec.nodeSelector
!pod.spec.containers[0].resources.requests
!pod.spec.containers[0].resources.limits
""",
    "map(string,double)": """
node.allocatable
node.requested
node.capacity
node.domain({z}).allocatable
node.domain({z}).requested
!pod.requests
""",
    "map(string,dyn)": "!params\n!{{'wish': params.zone}}",
    "list(string)": """
node.status.conditions.map(c, c.type)
node.spec.taints.map(t, t.key)
node.spec.podCIDRs
~node.metadata.labels.map(k, k).sort()
~node.images.map(i, i).sort()
~node.allocatable.map(r, r).sort()
~node.requested.map(r, r).sort()
~node.domain({z}).requested.map(r, r).sort()
~node.domain({z}).allocatable.map(r, r).sort()
!pod.spec.containers.map(c, c.image)
!pod.spec.containers.map(c, c.name)
!pod.metadata.finalizers
!pod.spec.tolerations.map(t, t.?effect.orValue('any'))
!~pod.requests.map(r, r).sort()
!~pod.metadata.labels.map(k, v, k + '=' + v).sort()
""",
    "list(double)": """
~node.requested.map(r, node.requested[r]).sort()
~node.allocatable.transformList(r, amount, amount).sort()
!~pod.requests.map(r, pod.requests[r]).sort()
!pod.spec.containers.map(c, double(quantity(c.resources.requests.memory).asInteger()))
""",
    "list(int)": """
~node.images.map(i, node.images[i].size).sort()
~node.images.transformList(i, image, image.nodes).sort()
!pod.spec.containers.map(c, c.?ports.orValue([]).size())
!params.list
""",
    "list(dyn)": "!params.list",
    "dyn": """
!params.most
!params.zone
!params.list
!params.nested
!params.nested.inner
!params.missing
!params['zone']
!params.nested['inner']
!pod.spec.containers[0].livenessProbe.httpGet.port
dyn(node.pods)
dyn(node.requested.cpu)
""",
    "quantity": """
!quantity(pod.spec.containers[0].resources.requests['memory'])
!quantity(pod.spec.containers[0].resources.requests.cpu)
!quantity(pod.spec.containers[0].resources.limits['cpu'])
!quantity(pod.spec.overhead.cpu)
!quantity(params.size)
quantity(node.metadata.annotations['example.com/size'])
""",
    "semver": "semver(node.metadata.annotations['example.com/version'])\n!semver('1.2.3')",
    "opt(string)": "node.metadata.?labels[{k}]\n!pod.?spec.?nodeName\n!pod.metadata.?annotations[?'example.com/wish']",
    "opt(double)": "node.allocatable[?{r}]\n!pod.requests[?{r}]",
    "opt(int)": "node.images[?{i}].?size\n!pod.?spec.?priority",
}

# Whole rules: what they give, and their text.
RULES = {
    "bool": """
node.requested.cpu + pod.requests.cpu <= 0.8 * node.allocatable.cpu
node.requested.memory + pod.requests.memory <= «double» * node.allocatable.memory
(node.requested.cpu + pod.requests.cpu) / node.allocatable.cpu < (node.requested.memory + pod.requests.memory) / node.allocatable.memory
node.domain({z}).podsMatching({{'app': 'web'}}, [pod.metadata.namespace]) < node.domain({z}).pods / 2
node.podsMatching(pod.metadata.labels, [pod.metadata.namespace]) < «int»
node.domain({z}).requested.cpu / node.domain({z}).allocatable.cpu <= «double»
!(pod.spec.containers.exists(c, c.image.contains('nginx')) && node.metadata.labels[?{k}].orValue('') == {v})
!pod.spec.containers.exists(c, quantity(c.resources.limits['memory']).isGreaterThan(«quantity»))
cel.bind(free, node.allocatable.memory - node.requested.memory, free > 64.0 * 1024.0 * 1024.0 && free > «double»)
cel.bind(zone, node.metadata.labels[?{z}].orValue(''), zone == params.zone || «bool»)
node.metadata.labels[{k}] == {v} && «bool»
node.metadata.labels[{k}].matches(«regex») || «bool»
pod.metadata.namespace in ['default', {n}] ? «bool» : «bool»
int(node.metadata.labels['num']) > «int» && «bool»
params.strict ? {k} in node.metadata.labels : «bool»
node.status.conditions.filter(c, c.type != 'Ready').all(c, c.status == 'False') && «bool»
node.status.conditions.exists_one(c, c.lastTransitionTime + duration('1h') > now)
node.spec.?taints.orValue([]).all(t, t.effect != «string»)
cluster.pods < cluster.nodes * 10 && «bool»
node.pods < int(node.allocatable.pods) && «bool»
has(node.usage) ? node.usage.cpu < 1.0 : «bool»
node.usage.cpu + pod.requests.cpu <= node.allocatable.cpu
node.usage.memory < 0.5 * node.allocatable.memory && «bool»
has(node.usage) && node.usage.age > duration('30s')
has(node.metrics.gpu) && node.metrics.gpu > 0.5
'watts' in node.metrics ? node.metrics['watts'] < 90.0 : «bool»
""",
    "double": """
has(node.usage) ? 100.0 * (1.0 - node.usage.cpu / node.allocatable.cpu) : 50.0
node.usage.memory
node.metrics['carbon-intensity'] * 2.0
[node.usage.cpu / node.allocatable.cpu, node.usage.memory / node.allocatable.memory].max()
100.0 - double(node.metadata.annotations['example.com/cents-per-hour'])
100.0 * node.requested.cpu / node.allocatable.cpu
(1.0 - (node.requested.cpu + pod.requests.cpu) / node.allocatable.cpu) * 100.0
«bool» ? node.allocatable.cpu - node.requested.cpu : «double»
[node.requested.cpu / node.allocatable.cpu, node.requested.memory / node.allocatable.memory].max() * «double»
~node.allocatable.map(r, node.allocatable[r] > 0.0, node.requested[?r].orValue(0.0) / node.allocatable[r]).max()
double(node.domain({z}).podsMatching({{'app': {v}}}, [])) / double(cluster.podsMatching({{'app': {v}}}, []))
double(node.pods) / double(cluster.pods) * «double»
quantity(pod.spec.containers[0].resources.requests['memory']).asApproximateFloat() / node.allocatable.memory
pod.spec.containers.map(c, node.images[?c.image].?size.orValue(0)).map(s, double(s)).sum()
""",
    "int": """
node.podsMatching({{'app': «string»}}, []) - cluster.podsMatching({{'app': «string»}}, []) / cluster.nodes
pod.spec.containers.map(c, node.images[?c.image].?size.orValue(0)).sum()
cluster.domains({z}) * «int»
(now - node.metadata.creationTimestamp).getHours()
«bool» ? node.pods : «int»
pod.spec.priority > 0 ? node.pods : -node.pods
""",
}

# What does not compile.
WRONG = """
node.requestd.cpu
node.allocatable.cpu + node.pods
pod.status.phase == 'Running'
pod.spec.container[0].image
node.status.allocatable
node.domain({z}).nodes
cluster.podsMatching({{'a': 1}}, [])
node.podsMatching({{'app': 'web'}})
pod.domain({z})
node.domains({z})
cluster.size
params + 1
now > 5
node.spec.taints.exists(t, t.nothing == '')
node['metadata']
pod.requests.cpu == '1'
nodes.metadata.name
"""
